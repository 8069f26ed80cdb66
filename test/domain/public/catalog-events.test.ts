import { describe, expect, test } from "vitest";
import type { Catalog, CatalogObjects } from "../../../src/domain/catalog/catalog.ts";
import {
  diffCatalog,
  type SortOrderOf,
  sortOrdersAfter,
} from "../../../src/domain/catalog/change/diff.ts";
import { diffPublicCatalogs } from "../../../src/domain/public/catalog-events.ts";
import { createEnvelope } from "../../../src/domain/events/envelope.ts";
import type { ObjectVersion } from "../../../src/domain/public/public-context.ts";
import { toPublicCatalog } from "../../../src/domain/public/public-catalog.ts";
import {
  buildCatalog,
  buildMenuItem,
  buildAddonLink,
  buildModifierGroup,
  buildAddon,
  buildStaffMember,
  buildPromotion,
  buildPublicEvent,
  buildService,
  buildServiceCategory,
  buildTicketType,
  buildVariant,
} from "../../support/catalog-builders.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const version = { version: 8, updatedAt: NOW, text: "2026-11-20T07:00:00-05:00" };
const before: ObjectVersion = { version: 3, updatedAt: NOW - 1000 };

const sortOrdersOf = (
  catalog: Catalog,
  previous: Catalog | null = null,
  before: SortOrderOf = () => 0,
) => sortOrdersAfter(diffCatalog(previous, catalog, before), before);

const toPublic = (catalog: Catalog, sortOrderOf = sortOrdersOf(catalog)) =>
  toPublicCatalog(
    {
      catalog,
      versionOf: () => before,
      sortOrderOf,
      stock: { soldOut: new Map(), taken: new Map() },
    },
    NOW,
  );

function diff(from: Catalog, to: Catalog) {
  const sortOrders = sortOrdersOf(from);
  const state = (catalog: Catalog, sortOrderOf: SortOrderOf) => ({
    catalog,
    publicCatalog: toPublic(catalog, sortOrderOf),
    at: NOW,
  });
  return diffPublicCatalogs(
    state(from, sortOrders),
    state(to, sortOrdersOf(to, from, sortOrders)),
    { id: "biz_1", version: 7 },
    version,
  );
}

/** Returns `type flag,flag` for each event. */
const summary = (from: Catalog, to: Catalog) =>
  diff(from, to).drafts.map((draft) => {
    const { changed } = createEnvelope(draft, "evt_1", NOW, {
      id: "b",
      slug: "s",
      name: "n",
      timezone: "UTC",
    }).data;
    const flags = Object.keys(changed).filter((flag) => changed[flag]);
    return [draft.type, ...(flags.length > 0 ? [flags.join(",")] : [])].join(" ");
  });

const cut = buildService("cut", {
  variants: [buildVariant("short"), buildVariant("long", { priceCents: 5000 })],
  addons: [buildAddonLink("mask")],
  staff: ["ann"],
});
const base: Partial<CatalogObjects> = {
  service_category: [buildServiceCategory("hair"), buildServiceCategory("nails")],
  addon: [buildAddon("mask"), buildAddon("tea")],
  service: [cut, buildService("colour"), buildService("spa")],
  staff: [buildStaffMember("ann"), buildStaffMember("bob")],
  menu_item: [buildMenuItem("soup", { modifierGroups: ["bread"] }), buildMenuItem("salad")],
  modifier_group: [buildModifierGroup("bread"), buildModifierGroup("unused")],
  promotion: [buildPromotion("autumn"), buildPromotion("winter")],
  public_event: [
    buildPublicEvent("jazz", {
      ticketTypes: [buildTicketType("adult"), buildTicketType("child")],
      quotas: [{ key: "hall", size: 100, ticketTypes: ["adult", "child"] }],
    }),
  ],
};
const catalogWith = (objects: Partial<CatalogObjects>) => buildCatalog({ ...base, ...objects });
const edit = (fields: Partial<typeof cut>) =>
  catalogWith({ service: [{ ...cut, ...fields }, buildService("colour"), buildService("spa")] });

describe("events caused by a change of", () => {
  const rows: [string, Catalog, string[]][] = [
    [
      "the price of a service",
      edit({ priceCents: 3500 }),
      ["service.updated price", "service_price.updated price", "catalog.changed services"],
    ],
    [
      "the price of a variant",
      edit({ variants: [buildVariant("short"), buildVariant("long", { priceCents: 5500 })] }),
      [
        "service.updated price,variants",
        "service_price.updated price,variants",
        "service_variant.changed price,variants",
        "catalog.changed services",
      ],
    ],
    [
      "an added variant",
      edit({ variants: [...cut.variants, buildVariant("kids", { priceCents: 100 })] }),
      [
        "service.updated variants",
        "service_variant.changed variants",
        "catalog.changed services,availability",
      ],
    ],
    [
      "a hidden variant",
      edit({
        variants: [
          buildVariant("short"),
          buildVariant("long", { priceCents: 5000, status: "INACTIVE" }),
        ],
      }),
      [
        "service.updated variants",
        "service_variant.changed variants",
        "catalog.changed services,availability",
      ],
    ],
    [
      "a description",
      edit({ description: "Sharp." }),
      ["service.updated", "catalog.changed services"],
    ],
    [
      "the terms of an add-on link",
      edit({ addons: [buildAddonLink("mask", { maxQuantity: 2 })] }),
      ["service.updated addons", "catalog.changed services"],
    ],
    [
      "the default variant, which bookings without a variant have",
      edit({
        variants: [
          buildVariant("short", { isDefault: true }),
          buildVariant("long", { priceCents: 5000 }),
        ],
      }),
      [
        "service.updated variants",
        "service_variant.changed variants",
        "catalog.changed services,availability",
      ],
    ],
    [
      "the price of an add-on link",
      edit({ addons: [buildAddonLink("mask", { priceCents: 400 })] }),
      [
        "service.updated price,addons",
        "service_price.updated price,addons",
        "catalog.changed services",
      ],
    ],
    [
      "an added add-on link",
      edit({ addons: [buildAddonLink("mask"), buildAddonLink("tea")] }),
      ["service.updated addons", "catalog.changed services,availability"],
    ],
    [
      "the price of an embedded add-on",
      catalogWith({ addon: [buildAddon("mask", { priceCents: 600 }), buildAddon("tea")] }),
      ["addon.updated price", "catalog.changed services"],
    ],
    [
      "a created service",
      catalogWith({
        service: [cut, buildService("colour"), buildService("spa"), buildService("wax")],
      }),
      ["service.created price,variants,addons", "catalog.changed services,availability"],
    ],
    [
      "a service set to inactive",
      edit({ status: "INACTIVE" }),
      // Ann's profile lists her services.
      ["service.deleted", "staff.updated services", "catalog.changed services,staff,availability"],
    ],
    [
      "the order of services",
      catalogWith({ service: [buildService("spa"), cut, buildService("colour")] }),
      ["service.reordered", "catalog.changed services"],
    ],
    [
      "the staff of a service",
      edit({ staff: ["ann", "bob"] }),
      ["service.updated", "staff.updated services", "catalog.changed services,staff,availability"],
    ],
    [
      "the working hours of a staff member",
      catalogWith({
        staff: [
          buildStaffMember("ann", { breaks: [{ days: ["mon"], start: "12:00", end: "13:00" }] }),
          buildStaffMember("bob"),
        ],
      }),
      ["catalog.changed availability"],
    ],
    [
      "a modifier group, with an event for each menu item that uses it",
      catalogWith({
        modifier_group: [
          buildModifierGroup("bread", { maxSelections: 2 }),
          buildModifierGroup("unused"),
        ],
      }),
      ["menu_item.updated modifiers", "catalog.changed menu"],
    ],
    [
      "a modifier group without menu items",
      catalogWith({
        modifier_group: [
          buildModifierGroup("bread"),
          buildModifierGroup("unused", { maxSelections: 2 }),
        ],
      }),
      ["catalog.changed menu"],
    ],
    [
      "the order of promotions, which has no event of its own",
      catalogWith({ promotion: [buildPromotion("winter"), buildPromotion("autumn")] }),
      ["catalog.changed promotions"],
    ],
    [
      "the price of a ticket type",
      catalogWith({
        public_event: [
          buildPublicEvent("jazz", {
            ticketTypes: [buildTicketType("adult", { priceCents: 3000 }), buildTicketType("child")],
            quotas: [{ key: "hall", size: 100, ticketTypes: ["adult", "child"] }],
          }),
        ],
      }),
      ["event.updated price", "catalog.changed events"],
    ],
    [
      "nothing that partners can see",
      catalogWith({
        promotion: [buildPromotion("autumn", { maxUses: 1 } as never), buildPromotion("winter")],
      }),
      ["catalog.changed"],
    ],
  ];
  test.each(rows)("a change publishes exactly its events: %s", (_name, to, expected) => {
    expect(summary(buildCatalog(base), to)).toEqual(expected);
  });

  test("the availability changes with the time that one person needs for a service, but not with that person's price", () => {
    const withAnn = (durationMin: number, priceCents: number) => {
      const serviceOverrides = [{ service: "cut", durationMin, priceCents }];
      return catalogWith({
        staff: [buildStaffMember("ann", { serviceOverrides }), buildStaffMember("bob")],
      });
    };
    expect(summary(withAnn(45, 3000), withAnn(50, 3000))).toEqual([
      "staff.updated services",
      "catalog.changed staff,availability",
    ]);
    expect(summary(withAnn(45, 3000), withAnn(45, 3500))).toEqual([
      "staff.updated services",
      "catalog.changed staff",
    ]);
  });

  test("a changed attribute of a variant is published, even if the attribute is named 'version'", () => {
    const withVersion = (version: string) =>
      edit({ variants: [buildVariant("short", { attributes: { version } })] });
    expect(summary(withVersion("1"), withVersion("2"))).toEqual([
      "service.updated variants",
      "service_variant.changed variants",
      "catalog.changed services",
    ]);
  });

  test("the availability changes with the quantity of an add-on that a service requires", () => {
    const withMask = (required: boolean, defaultQuantity: number) =>
      edit({
        addons: [
          buildAddonLink("mask", { required, minQuantity: 1, maxQuantity: 3, defaultQuantity }),
        ],
      });
    const changed = (required: boolean) =>
      summary(withMask(required, 1), withMask(required, 2)).at(-1);
    expect(changed(true)).toBe("catalog.changed services,availability");
    expect(changed(false)).toBe("catalog.changed services");
  });

  test("service_price.updated lists the service and its repriced variants, and service.updated lists the service alone", () => {
    const { drafts } = diff(
      buildCatalog(base),
      edit({ variants: [buildVariant("short"), buildVariant("long", { priceCents: 1 })] }),
    );
    const price = drafts.find((draft) => draft.type === "service_price.updated");
    const service = price?.object as { id: string; variants: { id: string; priceCents: number }[] };
    expect(price?.resource).toEqual({
      type: "service",
      id: service.id,
      ids: [service.id, service.variants[1]?.id],
    });
    expect(service.variants[1]?.priceCents).toBe(1);
    const updated = drafts.find((draft) => draft.type === "service.updated");
    expect(updated?.resource).toEqual({ type: "service", id: service.id, ids: [service.id] });
  });

  test("a changed object has the new version, and unchanged objects keep their versions", () => {
    const from = buildCatalog(base);
    const publicCatalog = toPublic(
      edit({ variants: [buildVariant("short"), buildVariant("long")] }),
    );
    diffPublicCatalogs(
      { catalog: from, publicCatalog: toPublic(from), at: NOW },
      { catalog: from, publicCatalog, at: NOW },
      { id: "biz_1", version: 7 },
      version,
    );
    expect(publicCatalog.services.map(({ version }) => version)).toEqual([8, 3, 3]);
    expect(publicCatalog.services[0]?.variants.map(({ version }) => version)).toEqual([3, 8]);
  });

  test("a changed add-on also changes the version of the services that embed it", () => {
    const { changedIds } = diff(
      buildCatalog(base),
      catalogWith({ addon: [buildAddon("mask", { name: "Mud mask" }), buildAddon("tea")] }),
    );
    const publicCatalog = toPublic(buildCatalog(base));
    expect(changedIds).toContain(publicCatalog.services[0]?.id);
    expect(changedIds).not.toContain(publicCatalog.services[1]?.id);
  });

  test("renaming a key keeps the ID and causes no event for the object", () => {
    const renamed = catalogWith({
      service_category: [
        buildServiceCategory("coiffure", { name: "hair", previousKeys: ["hair"] }),
        buildServiceCategory("nails"),
      ],
    });
    expect(summary(buildCatalog(base), renamed)).toEqual(["catalog.changed"]);
  });
});

describe("refetch in catalog.changed", () => {
  const refetch = (to: Catalog) => {
    const object = diff(buildCatalog(base), to).drafts.at(-1)?.object as Record<string, unknown>;
    return object["refetch"];
  };
  const { services, menuItems, modifierGroups, promotions } = toPublic(buildCatalog(base));

  test("refetch in catalog.changed names the services that embed a changed add-on", () => {
    const to = catalogWith({ addon: [buildAddon("mask", { priceCents: 600 }), buildAddon("tea")] });
    expect(refetch(to)).toEqual([{ route: "services", ids: [services[0]?.id], idsComplete: true }]);
  });

  test("refetch in catalog.changed names a changed modifier group and the menu items that use it", () => {
    const to = catalogWith({
      modifier_group: [
        buildModifierGroup("bread", { maxSelections: 2 }),
        buildModifierGroup("unused"),
      ],
    });
    const ids = [menuItems[0]?.id, modifierGroups[0]?.id];
    expect(refetch(to)).toEqual([{ route: "menu", ids, idsComplete: true }]);
  });

  test("refetch in catalog.changed names a deleted modifier group", () => {
    const to = catalogWith({ modifier_group: [buildModifierGroup("bread")] });
    const ids = [modifierGroups[1]?.id];
    expect(refetch(to)).toEqual([{ route: "menu", ids, idsComplete: true }]);
  });

  test("refetch in catalog.changed omits objects that have their own event", () => {
    expect(refetch(edit({ priceCents: 3500 }))).toEqual([]);
  });

  test("refetch in catalog.changed names the moved service, and the services that embed a changed add-on", () => {
    const to = catalogWith({
      addon: [buildAddon("mask", { priceCents: 600 }), buildAddon("tea")],
      service: [cut, buildService("spa"), buildService("colour")],
    });
    const ids = [services[0]?.id, services[2]?.id];
    expect(refetch(to)).toEqual([{ route: "services", ids, idsComplete: true }]);
  });

  test("refetch in catalog.changed names the moved object of a list whose order has no event", () => {
    const to = catalogWith({ promotion: [buildPromotion("winter"), buildPromotion("autumn")] });
    const ids = [promotions[1]?.id];
    expect(refetch(to)).toEqual([{ route: "promotions", ids, idsComplete: true }]);
  });

  test("refetch in catalog.changed asks for every list and the profile after a change of the business's name", () => {
    const to = buildCatalog(base);
    to.business = { ...to.business, name: "Aurora" };
    expect(refetch(to)).toEqual(
      [
        "menu",
        "services",
        "service-categories",
        "staff",
        "promotions",
        "events/catalog",
        "profile",
      ].map((route) => ({ route, ids: [], idsComplete: false })),
    );
  });

  test.each([
    { groups: 500, ids: 500, idsComplete: true },
    { groups: 501, ids: 0, idsComplete: false },
  ])(
    "refetch in catalog.changed lists at most 500 IDs: $groups changed groups",
    ({ groups, ids, idsComplete }) => {
      const withMaximum = (maxSelections: number) =>
        buildCatalog({
          modifier_group: Array.from({ length: groups }, (_, i) =>
            buildModifierGroup(`group-${i}`, { maxSelections }),
          ),
        });
      const { drafts } = diff(withMaximum(1), withMaximum(2));
      expect(drafts.at(-1)?.object).toMatchObject({
        refetch: [
          { route: "menu", ids: expect.toSatisfy((list) => list.length === ids), idsComplete },
        ],
      });
    },
  );
});
