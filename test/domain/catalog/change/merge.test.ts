import { describe, expect, it } from "vitest";
import { objectId } from "../../../../src/domain/catalog/object-id.ts";
import { collectIssues, readCatalogBody, readOverCurrent } from "../../../support/catalog-file.ts";

const areas = (...keys: string[]) =>
  `areas: [${keys.map((key) => `{key: ${key}, name: ${key}}`).join(", ")}]\n`;
const keysOf = (docs: readonly { key: string }[]) => docs.map((doc) => doc.key);

describe("applying a file to a stored catalog", () => {
  it("applying a file to a stored catalog keeps the sections and menu lists that the file does not have", () => {
    const before = readCatalogBody(
      `${areas("hall")}hours: [{start: '09:00', end: '18:00'}]\nmenu: {categories: [{key: soups, name: Soups}], items: [{key: tomato, name: Tomato, price: 7}]}\n`,
    );
    const after = readOverCurrent(
      before,
      "turnTimes: [{upTo: 2, min: 90}]\nmenu: {items: [{key: leek, name: Leek, price: 8}]}\n",
      {
        prune: true,
      },
    );
    expect(after.objects.area).toEqual(before.objects.area);
    expect(after.objects.menu_category).toEqual(before.objects.menu_category);
    expect(keysOf(after.objects.menu_item)).toEqual(["leek"]);
    expect(after.schedule).toEqual({ ...before.schedule, turnTimes: [{ upTo: 2, min: 90 }] });
  });

  it("applying a file to a stored catalog puts the file's objects first and keeps the order of the other objects", () => {
    const before = readCatalogBody(areas("a", "b", "c", "d"));
    expect(keysOf(readOverCurrent(before, areas("d", "new", "b")).objects.area)).toEqual([
      "d",
      "new",
      "b",
      "a",
      "c",
    ]);
  });

  it("applying a file to a stored catalog deletes unlisted objects only with prune", () => {
    const before = readCatalogBody(areas("a", "b", "c"));
    expect(
      keysOf(readOverCurrent(before, areas("c", "new"), { prune: true }).objects.area),
    ).toEqual(["c", "new"]);
    expect(readOverCurrent(before, "areas: []\n", { prune: true }).objects.area).toEqual([]);
    expect(readOverCurrent(before, "areas:\n", { prune: true }).objects.area).toEqual(
      before.objects.area,
    );
  });

  it("applying a file to a stored catalog resets an omitted field to its default", () => {
    const before = readCatalogBody(
      "addons: [{key: mask, name: Mask, price: 5, durationMin: 10, description: Cool., status: inactive}]\n",
    );
    const after = readOverCurrent(before, "addons: [{key: mask, name: Mask, price: 5}]\n");
    expect(after.objects.addon[0]).toMatchObject({
      durationMin: 0,
      description: null,
      status: "ACTIVE",
    });
  });

  it("applying a file to a stored catalog changes nothing if the file is the same", () => {
    const body = `${areas("a", "b")}tables: [{key: t1, maxSeats: 2, area: a}]\n`;
    const before = readCatalogBody(body);
    expect(readOverCurrent(before, body)).toEqual(before);
  });

  it("applying a file to a stored catalog resolves references to objects that only the stored catalog has", () => {
    const before = readCatalogBody(areas("hall"));
    expect(
      readOverCurrent(before, "tables: [{key: t1, maxSeats: 2, area: hall}]\n").objects.table[0]
        ?.area,
    ).toBe("hall");
  });

  it("a link to a stored add-on has the add-on's maximum quantity as its default maximum", () => {
    const before = readCatalogBody(
      "addons: [{key: stone, name: Stone, price: 5, maxQuantity: 4}]\n",
    );
    const after = readOverCurrent(
      before,
      "services: [{key: a, name: A, durationMin: 5, price: 1, addons: [{addon: stone, required: true}]}]\n",
    );
    expect(after.objects.service[0]?.addons).toEqual([
      {
        addon: "stone",
        required: true,
        minQuantity: 1,
        maxQuantity: 4,
        defaultQuantity: 1,
        priceCents: null,
        durationMin: null,
      },
    ]);
  });

  it("applying a file to a stored catalog with prune is rejected if it breaks a reference of a stored object", () => {
    const before = readCatalogBody(
      `${areas("hall", "yard")}tables: [{key: t1, maxSeats: 2, area: yard}]\n`,
    );
    expect(collectIssues(() => readOverCurrent(before, areas("hall"), { prune: true }))).toEqual([
      "catalog.yaml:1:1 The table 't1' is stored on the server but not in these files: There is no area 'yard'.",
    ]);
  });
});

describe("renaming a key", () => {
  const before =
    readCatalogBody(`${areas("yard", "hall")}tables: [{key: t1, maxSeats: 2, area: yard}]
events: [{key: gala, name: Gala, startsAt: 2026-12-31T22:00, durationMin: 60, ticketTypes: [{key: seat, name: Seat, price: 9}]}]
promotions: [{key: p, name: P, benefit: {type: percent_off, percent: 10}, appliesTo: {events: [gala], ticketTypes: [gala/seat]}}]
`);
  const renamed = readOverCurrent(
    before,
    "areas: [{key: garden, name: Garden, previousKeys: [yard]}]\n",
  );

  it("renaming a key keeps the ID and leaves no object under the old key", () => {
    const [oldArea] = before.objects.area;
    const [newArea] = renamed.objects.area;
    expect(objectId("area", "salon-aurora", newArea!)).toBe(
      objectId("area", "salon-aurora", oldArea!),
    );
    expect(keysOf(renamed.objects.area)).toEqual(["garden", "hall"]);
  });

  it("renaming a key updates references in objects that the file does not list", () => {
    expect(renamed.objects.table[0]?.area).toBe("garden");
    const after = readOverCurrent(
      before,
      "events: [{key: ball, name: Ball, previousKeys: [gala], startsAt: 2026-12-31T22:00, durationMin: 60, ticketTypes: [{key: chair, name: Chair, price: 9, previousKeys: [seat]}]}]\n",
    );
    expect(after.objects.promotion[0]?.appliesTo).toMatchObject({
      events: ["ball"],
      ticketTypes: ["ball/chair"],
    });
    expect(before.objects.promotion[0]?.appliesTo.events).toEqual(["gala"]);
  });

  it("renaming a key is remembered if a later file omits some or all previous keys", () => {
    expect(readOverCurrent(renamed, areas("garden")).objects.area[0]?.previousKeys).toEqual([
      "yard",
    ]);
    const again = readOverCurrent(
      renamed,
      "areas: [{key: lawn, name: Lawn, previousKeys: [garden]}]\n",
    );
    expect(again.objects.area[0]).toMatchObject({ key: "lawn", previousKeys: ["yard", "garden"] });
    expect(keysOf(again.objects.area)).toEqual(["lawn", "hall"]);
  });

  it("renaming a key is reverted by a file with the old key", () => {
    const back = readOverCurrent(renamed, areas("yard"));
    expect(keysOf(back.objects.area)).toEqual(["yard", "hall"]);
    expect(back.objects.table[0]?.area).toBe("yard");
  });

  it("a renamed variant keeps its previous keys, and so its ID, if a later file omits them", () => {
    const service = (variants: string) =>
      `services: [{key: a, name: A, durationMin: 5, price: 1, variants: [${variants}]}]\n`;
    const short = readCatalogBody(service("{key: s, name: Short, previousKeys: [small]}"));
    expect(
      readOverCurrent(short, service("{key: s, name: Shorter}")).objects.service[0]?.variants[0],
    ).toMatchObject({
      name: "Shorter",
      previousKeys: ["small"],
    });
  });
});
