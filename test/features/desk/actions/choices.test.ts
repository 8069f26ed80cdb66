import { expect, test } from "vitest";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { businessOf, openDesk } from "../open-desk.ts";

test("a desk offers a table only while a table and its area are active", async () => {
  const { api, view } = await openDesk({ preset: "restaurant" });
  const { id, slug } = businessOf(api);
  const setInactive = (kind: "area" | "table", key: string) =>
    editObject(api, slug, kind, key, (doc) => ({ ...doc, status: "INACTIVE" }));
  const tables = api.store.catalog.listByKind(id, "table");
  for (const { key, area } of tables) if (area !== "terrace") setInactive("table", key);
  expect((await view()).hasTables).toBe(true);
  setInactive("area", "terrace");
  expect((await view()).hasTables).toBe(false);
});
