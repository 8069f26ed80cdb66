import { expect, test } from "vitest";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { objectId } from "../../../../src/domain/catalog/object-id.ts";
import type { Choice } from "../../../../src/features/desk/rules.ts";
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

test("a desk offers walk-ins the active variants of a service, and the service itself only without a default variant", async () => {
  const { api, view } = await openDesk();
  const { slug } = businessOf(api);
  const setStatus = (key: string) =>
    editObject(api, slug, "service", "cut-and-blow-dry", (doc) => ({
      ...doc,
      variants: doc.variants.map((one) =>
        one.key === `cut-and-blow-dry-${key}` ? { ...one, status: "INACTIVE" as const } : one,
      ),
    }));
  const list = async () =>
    (await view()).services
      .map(({ name }) => name)
      .filter((name) => name.startsWith("Cut & blow-dry"));
  setStatus("medium");
  expect(await list()).toEqual(["Cut & blow-dry: Short hair", "Cut & blow-dry: Long hair"]);
  setStatus("short");
  expect(await list()).toEqual(["Cut & blow-dry", "Cut & blow-dry: Long hair"]);
});

test("the form for walk-ins shows how long a service or variant takes and what it costs, as the booking page does", async () => {
  const { api, get, view } = await openDesk();
  editObject(api, businessOf(api).slug, "service", "kids-cut", (doc) => ({
    ...doc,
    priceType: "FROM" as const,
  }));
  const factsOf = (services: readonly Choice[], name: string) =>
    services.find((one) => one.name === name)?.facts;
  const { services } = await view();
  expect(factsOf(services, "Cut & blow-dry: Long hair")).toBe("1 h 45 min · $145.00");
  expect(factsOf(services, "Kids' cut")).toBe("30 min · from $32.00");
  const page = await (await get("", { headers: { "accept-language": "de" } })).text();
  expect(page).toContain(">Cut &amp; blow-dry: Long hair · 1 h 45 min · 145,00\u00a0$</option>");
  expect(page).toContain(">Kids' cut · 30 min · ab 32,00\u00a0$</option>");
});

test("a walk-in gets the time and price of the chosen variant, with the required add-ons", async () => {
  const { api, view, act } = await openDesk();
  const { id, slug } = businessOf(api);
  editObject(api, slug, "service", "cut-and-blow-dry", (doc) => ({
    ...doc,
    addons: doc.addons.map((link) => ({
      ...link,
      required: true,
      minQuantity: 1,
      defaultQuantity: 1,
    })),
  }));
  api.advance(Date.parse("2026-11-20T11:00-05:00") - api.now());
  const enter = async (name: string) => {
    const choice = (await view()).services.find((one) => one.name === name);
    const { message } = await act({ action: "walkIn", service: choice?.id ?? "", ago: "5" });
    expect(message.text).toBe("Entered.");
  };
  await enter("Cut & blow-dry: Long hair");
  await enter("Kids' cut");
  const segments = api.store.bookings
    .listPage({ businessId: id }, 10)
    .flatMap((one) => one.segments);
  const addons = ["scalp-massage", "deep-conditioning"].map((key) => ({
    addonId: objectId("addon", slug, { key, previousKeys: [] }),
  }));
  expect(segments).toMatchObject([
    { serviceName: "Cut & blow-dry", variantName: "Long hair", addons },
    { serviceName: "Kids' cut", variantName: null, addons: [] },
  ]);
});
