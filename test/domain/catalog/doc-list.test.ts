import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { buildService } from "../../support/catalog-builders.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { findById, findByKey } from "../../../src/domain/catalog/doc-index.ts";
import { type DocList, type DocRow, patchList } from "../../../src/domain/catalog/doc-list.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";

const SLUG = "salon";
const idOf = (key: string) => objectId("service", SLUG, buildService(key));

/** Returns a list from rows in any order. */
function listOf(rows: ReadonlyMap<string, DocRow<"service">>): DocList<"service"> {
  const sorted = [...rows.values()].toSorted((a, b) => a.sortOrder - b.sortOrder);
  return {
    kind: "service",
    businessSlug: SLUG,
    docs: sorted.map(({ doc }) => doc),
    sortOrders: sorted.map(({ sortOrder }) => sortOrder),
  };
}

test("a patched list has the same objects, order and indexes as a list that is built anew", () => {
  const randomInt = createRandomInt(1);
  const keys = Array.from({ length: 40 }, (_, i) => `service-${i}`);
  const rows = new Map<string, DocRow<"service">>();
  let list = listOf(rows);
  for (let step = 0; step < 300; step++) {
    const changed = new Map<string, DocRow<"service"> | undefined>();
    const used = new Set([...rows.values()].map(({ sortOrder }) => sortOrder));
    for (let count = 1 + randomInt(5); count > 0; count--) {
      const key = keys[randomInt(keys.length)] ?? "";
      const before = rows.get(idOf(key));
      const free = Array.from({ length: 100 }, (_, i) => i).filter((i) => !used.has(i));
      const sortOrder = before && randomInt(2) ? before.sortOrder : (free[randomInt(99)] ?? 0);
      const row = { doc: buildService(key, { priceCents: randomInt(999) }), sortOrder };
      const isGone = randomInt(4) === 0;
      if (!isGone && !(sortOrder === before?.sortOrder) && used.has(sortOrder)) continue;
      if (isGone) rows.delete(idOf(key));
      else rows.set(idOf(key), row);
      used.add(sortOrder);
      changed.set(idOf(key), isGone ? undefined : row);
    }
    const before = { ...list, docs: [...list.docs], sortOrders: [...list.sortOrders] };
    const patched = patchList(list, changed);
    expect(isDeepStrictEqual(list, before)).toBe(true);
    expect(isDeepStrictEqual(patched, listOf(rows))).toBe(true);
    const docs = keys.map((key) => rows.get(idOf(key))?.doc);
    const byKey = keys.map((key) => findByKey<"service">(patched.docs, key));
    const byId = keys.map((key) => findById("service", SLUG, patched.docs, idOf(key)));
    expect(docs.every((doc, i) => doc === byKey[i] && doc === byId[i])).toBe(true);
    list = patched;
  }
});

test("an object whose key was renamed is found by its new key only", () => {
  const list = listOf(new Map([[idOf("a"), { doc: buildService("a"), sortOrder: 1 }]]));
  expect(findByKey<"service">(list.docs, "a")?.key).toBe("a");
  const renamed = { ...buildService("b"), previousKeys: ["a"] };
  const { docs } = patchList(list, new Map([[idOf("a"), { doc: renamed, sortOrder: 1 }]]));
  expect(findByKey<"service">(docs, "a")).toBeUndefined();
  expect(findByKey<"service">(docs, "b")).toBe(renamed);
  expect(findById("service", SLUG, docs, idOf("a"))).toBe(renamed);
});
