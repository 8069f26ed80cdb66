import { describe, expect, test, vi } from "vitest";
import { groupByBusiness, applyCatalog, applyCatalogs } from "../../../src/app/catalog/catalog.ts";
import { parseSources } from "../../../src/domain/catalog/source/read-catalog.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { loadCatalog } from "../../../src/app/catalog/load-catalog.ts";
import type { AppError } from "../../../src/domain/errors.ts";
import { toPublicCatalog } from "../../../src/domain/public/public-catalog.ts";
import { openRuntime } from "../../../src/app/runtime.ts";
import { dryRun } from "../../support/dry-run.ts";
import { CATALOG_HEADER } from "../../support/catalog-file.ts";
import { eventTypesOf, recordEvents } from "../../support/use-case.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

/** Returns the names in each group. The content of a file is its slug, or "" without a business. */
const groups = (files: Record<string, string>): string[][] =>
  groupByBusiness(
    parseSources(
      Object.entries(files).map(([name, slug]) => ({
        name,
        text: slug === "" ? "catalog: 1\n" : `catalog: 1\nbusiness: {slug: ${slug}}\n`,
      })),
    ),
  ).map((group) => group.map(({ name }) => name));

describe("groupByBusiness", () => {
  test("groupByBusiness merges all files if they describe at most one business", () => {
    expect(groups({ "a/x.yaml": "bern", "y.yaml": "", "b/z.yaml": "" })).toHaveLength(1);
    expect(groups({ "x.yaml": "", "y.yaml": "" })).toHaveLength(1);
    expect(groups({ "x.yaml": "bern", "y.yaml": "bern" })).toHaveLength(1);
  });

  test("groupByBusiness assigns a file without business to the only business in its folder, in the order of the files", () => {
    expect(
      groups({ "a/prices.yaml": "", "a/x.yaml": "bern", "b/x.yaml": "chur", "b/y.yaml": "" }),
    ).toEqual([
      ["a/prices.yaml", "a/x.yaml"],
      ["b/x.yaml", "b/y.yaml"],
    ]);
  });

  test("groupByBusiness puts a file into a group of its own if its folder describes no business or several", () => {
    expect(
      groups({ "a/x.yaml": "bern", "a/y.yaml": "chur", "a/z.yaml": "", "z.yaml": "" }),
    ).toEqual([["a/x.yaml"], ["a/y.yaml"], ["a/z.yaml"], ["z.yaml"]]);
  });
});

const SERVICES = `
services:
  - {key: cut, name: Cut, durationMin: 30, price: 35.00}
  - {key: colour, name: Colour, durationMin: 90, price: 80.00}
  - {key: spa, name: Spa, durationMin: 60, price: 60.00}
`;

const apply = (rt: TestRuntime, body: string, options = {}) =>
  applyCatalog(rt, [{ name: "catalog.yaml", text: CATALOG_HEADER + body }], options);

const fileOf = (name: string, slug: string, price: string) => ({
  name,
  text: `catalog: 1\nbusiness: {slug: ${slug}, name: ${slug}, timezone: Europe/Zurich, currency: CHF}
services: [{key: cut, name: Cut, durationMin: 30, price: ${price}}]\n`,
});

const publicCatalog = (rt: TestRuntime) => {
  return toPublicCatalog(loadCatalog(rt, getBusiness(rt, "salon-aurora")), rt.now());
};

const types = (result: { events: { type: string }[] }) => result.events.map(({ type }) => type);

describe("applying a file", () => {
  test("applying a file creates the business at version 1, with an event per object and catalog.changed last", () => {
    const rt = createTestRuntime();
    const result = apply(rt, SERVICES);
    expect(result).toMatchObject({ isNew: true, fromVersion: 0, version: 1 });
    expect(types(result)).toEqual([
      "service.created",
      "service.created",
      "service.created",
      "catalog.changed",
    ]);
    expect(publicCatalog(rt).services.map(({ name, version }) => [name, version])).toEqual([
      ["Cut", 1],
      ["Colour", 1],
      ["Spa", 1],
    ]);
  });

  test("a second application of a file changes nothing and publishes nothing", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const result = apply(rt, SERVICES);
    expect(result).toMatchObject({
      isNew: false,
      fromVersion: 1,
      version: 1,
      events: [],
      changes: [],
    });
    expect(getBusiness(rt, "salon-aurora").lastSequence).toBe(4);
  });

  test("a dry run of a file reports the events of applying it, and writes nothing", () => {
    const rt = createTestRuntime();
    const planned = dryRun(rt, () => apply(rt, SERVICES));
    expect(rt.store.businesses.list()).toEqual([]);
    expect(types(planned)).toEqual(types(apply(rt, SERVICES)));
  });

  test("applying a file updates the version and time of changed objects only", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    rt.advance(60_000);
    const result = apply(rt, SERVICES.replace("35.00", "36.00"));
    expect(types(result)).toEqual(["service.updated", "service_price.updated", "catalog.changed"]);
    expect(result.changes).toMatchObject([
      { action: "update", key: "cut", prices: [{ part: "", from: 3500, to: 3600 }] },
    ]);
    expect(
      publicCatalog(rt).services.map(({ version, updatedAt }) => [version, updatedAt]),
    ).toEqual([
      [2, "2026-11-20T07:01:00-05:00"],
      [1, "2026-11-20T07:00:00-05:00"],
      [1, "2026-11-20T07:00:00-05:00"],
    ]);
  });

  test("applying a file keeps objects that the file does not list, and deletes them with prune", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const short = "services: [{key: spa, name: Spa, durationMin: 60, price: 60.00}]";
    expect(types(apply(rt, short))).toEqual(["service.reordered", "catalog.changed"]);
    expect(publicCatalog(rt).services.map(({ name }) => name)).toEqual(["Spa", "Cut", "Colour"]);
    expect(types(apply(rt, short, { prune: true }))).toEqual([
      "service.deleted",
      "service.deleted",
      "catalog.changed",
    ]);
    expect(publicCatalog(rt).services.map(({ name }) => name)).toEqual(["Spa"]);
  });

  test("applying a file changes the sortOrder of an object only if the object moves", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const sortOrders = () =>
      Object.fromEntries(
        publicCatalog(rt).services.map(({ name, sortOrder }) => [name, sortOrder]),
      );
    const { Cut, Colour, Spa } = sortOrders();
    apply(rt, SERVICES.replace(/.*Colour.*\n/, ""), { prune: true, allowMassDelete: true });
    expect(sortOrders()).toEqual({ Cut, Spa });
    apply(rt, SERVICES);
    expect(sortOrders()).toEqual({ Cut, Colour, Spa });
    apply(rt, "services: [{key: spa, name: Spa, durationMin: 60, price: 60.00}]");
    expect(sortOrders()).toEqual({ Spa: (Cut ?? 0) / 2, Cut, Colour });
  });

  test("applying a file updates the version of a moved object, and reports the sortOrder of all objects in one event", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const [event] = recordEvents(rt, () =>
      apply(rt, "services: [{key: spa, name: Spa, durationMin: 60, price: 60.00}]"),
    );
    const { services } = publicCatalog(rt);
    expect(services.map(({ name, version }) => [name, version])).toEqual([
      ["Spa", 2],
      ["Cut", 1],
      ["Colour", 1],
    ]);
    const order = services.map(({ id, sortOrder }) => ({ id, sortOrder }));
    expect(event).toMatchObject({ type: "service.reordered", data: { object: { order } } });
  });

  test("reordering services changes no staff, and reordering public events changes no promotion", () => {
    const rt = createTestRuntime();
    const services = [
      "{key: cut, name: Cut, durationMin: 30, price: 35.00, staff: [ann]}",
      "{key: spa, name: Spa, durationMin: 60, price: 60.00, staff: [ann]}",
    ];
    const events = ["jazz", "folk"].map(
      (key) =>
        `{key: ${key}, name: ${key}, startsAt: 2026-12-01T19:00, durationMin: 60, ticketTypes: [{key: all, name: All, price: 9.00}]}`,
    );
    const file = (lines: typeof services, concerts: typeof events) => `
services: [${lines.join(", ")}]
staff: [{key: ann, name: Ann}]
promotions: [{key: deal, name: Deal, benefit: {type: PERCENT_OFF, percent: 10}, appliesTo: {ticketTypes: [jazz/all, folk/all]}}]
events: [${concerts.join(", ")}]`;
    apply(rt, file(services, events));
    const moved = recordEvents(rt, () =>
      apply(rt, file(services.toReversed(), events.toReversed())),
    );
    expect(eventTypesOf(moved)).toEqual(["service.reordered", "catalog.changed"]);
    expect(moved[1]?.data.changed).toMatchObject({ staff: false, promotions: false, events: true });
  });

  test("applying a file keeps the IDs of two objects that swap keys", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const ids = publicCatalog(rt).services.map(({ id }) => id);
    apply(
      rt,
      `services:
  - {key: colour, previousKeys: [cut], name: Cut, durationMin: 30, price: 35.00}
  - {key: cut, previousKeys: [colour], name: Colour, durationMin: 90, price: 80.00}
  - {key: spa, name: Spa, durationMin: 60, price: 60.00}`,
    );
    expect(publicCatalog(rt).services.map(({ id }) => id)).toEqual(ids);
  });

  test("applying a file fails if the catalog changed between reading and writing", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const other = openRuntime(rt.config, 0);
    const racing = {
      ...rt,
      tx: <T>(work: () => T): T => {
        editObject(other, "salon-aurora", "service", "spa", (doc) => ({ ...doc, priceCents: 1 }));
        return rt.tx(work);
      },
    };
    expect(() => apply(racing, SERVICES.replace("35.00", "36.00"))).toThrow(
      expect.objectContaining({ code: "conflict" }) as AppError,
    );
    other.close();
    expect(publicCatalog(rt).services.map(({ priceCents }) => priceCents)).toEqual([3500, 8000, 1]);
  });
});

describe("editing one object", () => {
  test("editing one object has the same effects as applying a file with the edit", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const result = editObject(rt, "salon-aurora", "service", "cut", (doc) => ({
      ...doc,
      priceCents: 4500,
    }));
    expect(types(result)).toEqual(["service.updated", "service_price.updated", "catalog.changed"]);
    expect(publicCatalog(rt).services[0]).toMatchObject({ priceCents: 4500, version: 2 });
  });

  test("an edit finds its object by key or ID, and the error for an unknown key suggests the nearest key", () => {
    const rt = createTestRuntime();
    apply(rt, SERVICES);
    const id = publicCatalog(rt).services[1]?.id ?? "";
    expect(editObject(rt, "salon-aurora", "service", id, (doc) => doc).events).toEqual([]);
    expect(() => editObject(rt, "salon-aurora", "service", "color", (doc) => doc)).toThrow(
      "Did you mean 'colour'?",
    );
  });
});

test("a change is rolled back if its events cannot be written", () => {
  const rt = createTestRuntime();
  apply(rt, SERVICES);
  const business = getBusiness(rt, "salon-aurora");
  const failing = { ...rt, newId: () => "evt_same" };
  expect(() => apply(failing as TestRuntime, SERVICES.replace("35.00", "36.00"))).toThrow("UNIQUE");
  expect(getBusiness(rt, "salon-aurora")).toEqual(business);
});

describe("applying the files of several businesses", () => {
  const files = (price: string) =>
    ["bern", "chur", "genf"].map((slug) => fileOf(`${slug}.yaml`, slug, price));
  const applyAll = (rt: TestRuntime, price: string) => [...applyCatalogs(rt, files(price))];
  const priceIn = (rt: TestRuntime, slug: string) =>
    loadCatalog(rt, getBusiness(rt, slug)).catalog.objects.service[0]?.priceCents;

  test("if another process changes one of several businesses while their files are applied, the other businesses are saved", () => {
    const rt = createTestRuntime();
    expect(applyAll(rt, "35.00")).toMatchObject([
      { slug: "bern", version: 1 },
      { slug: "chur", version: 1 },
      { slug: "genf", version: 1 },
    ]);
    const applying = applyCatalogs(rt, files("40.00"));
    expect(applying.next().value).toMatchObject({ slug: "bern", version: 2 });
    editObject(rt, "chur", "service", "cut", (doc) => ({ ...doc, priceCents: 3900 }));
    expect([...applying]).toMatchObject([
      { slug: "chur", error: { code: "conflict" } },
      { slug: "genf", version: 2 },
    ]);
    expect(["bern", "chur", "genf"].map((slug) => priceIn(rt, slug))).toEqual([4000, 3900, 4000]);
  });

  test("applying the files of several businesses loads each business once", () => {
    const rt = createTestRuntime();
    applyAll(rt, "35.00");
    const listObjects = vi.spyOn(rt.store.catalog, "listObjects");
    applyAll(rt, "40.00");
    expect(listObjects).toHaveBeenCalledTimes(3);
  });
});
