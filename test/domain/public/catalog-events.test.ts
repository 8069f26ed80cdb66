import { describe, expect, test } from "vitest";
import type { Catalog, CatalogObjects } from "../../../src/domain/catalog/catalog.ts";
import { diffPublicCatalogs } from "../../../src/domain/public/catalog-events.ts";
import { createEnvelope } from "../../../src/domain/envelope.ts";
import type { Stock, ObjectVersion } from "../../../src/domain/public/public-context.ts";
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
const mark = { version: 8, updatedAt: NOW, text: "2026-11-20T07:00:00-05:00" };
const before: ObjectVersion = { version: 3, updatedAt: NOW - 1000 };

const show = (catalog: Catalog, now = NOW, day: Partial<Stock> = {}) =>
  toPublicCatalog(
    { catalog, versionOf: () => before, stock: { soldOut: new Map(), taken: new Map(), ...day } },
    now,
  );

function tell(from: Catalog, to: Catalog, now = NOW) {
  const state = (catalog: Catalog) => ({ catalog, publicCatalog: show(catalog, now) });
  return diffPublicCatalogs(state(from), state(to), { id: "biz_1", version: 7 }, mark);
}

/** `type flag,flag` of each event. */
const summary = (from: Catalog, to: Catalog) =>
  tell(from, to).drafts.map((draft) => {
    const { changed } = createEnvelope(draft, "evt_1", NOW, {
      id: "b",
      slug: "s",
      name: "n",
      timezone: "UTC",
    }).data;
    const raised = Object.keys(changed).filter((flag) => changed[flag]);
    return [draft.type, ...(raised.length > 0 ? [raised.join(",")] : [])].join(" ");
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

describe("events that a change of the catalog causes", () => {
  const rows: [string, Catalog, string[]][] = [
    [
      "a service's price",
      edit({ priceCents: 3500 }),
      ["service.updated price", "service_price.updated price", "catalog.changed services"],
    ],
    [
      "a variant's price",
      edit({ variants: [buildVariant("short"), buildVariant("long", { priceCents: 5500 })] }),
      [
        "service.updated price,variants",
        "service_price.updated price,variants",
        "service_variant.changed price,variants",
        "catalog.changed services",
      ],
    ],
    [
      "a variant added",
      edit({ variants: [...cut.variants, buildVariant("kids", { priceCents: 100 })] }),
      [
        "service.updated variants",
        "service_variant.changed variants",
        "catalog.changed services,availability",
      ],
    ],
    [
      "a variant hidden",
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
      "a link's terms",
      edit({ addons: [buildAddonLink("mask", { maxQuantity: 2 })] }),
      ["service.updated addons", "catalog.changed services"],
    ],
    [
      "a link's own price",
      edit({ addons: [buildAddonLink("mask", { priceCents: 400 })] }),
      [
        "service.updated price,addons",
        "service_price.updated price,addons",
        "catalog.changed services",
      ],
    ],
    [
      "a link to an add-on",
      edit({ addons: [buildAddonLink("mask"), buildAddonLink("tea")] }),
      ["service.updated addons", "catalog.changed services,availability"],
    ],
    [
      "an add-on that a service embeds",
      catalogWith({ addon: [buildAddon("mask", { priceCents: 600 }), buildAddon("tea")] }),
      ["addon.updated price", "catalog.changed services"],
    ],
    [
      "a service created",
      catalogWith({
        service: [cut, buildService("colour"), buildService("spa"), buildService("wax")],
      }),
      ["service.created price,variants,addons", "catalog.changed services,availability"],
    ],
    [
      "a service withdrawn",
      edit({ status: "INACTIVE" }),
      // Ann's profile lists what she does.
      ["service.deleted", "staff.updated services", "catalog.changed services,staff,availability"],
    ],
    [
      "the order of services",
      catalogWith({ service: [buildService("spa"), cut, buildService("colour")] }),
      ["service.reordered", "catalog.changed services"],
    ],
    [
      "a person who performs a service",
      edit({ staff: ["ann", "bob"] }),
      ["service.updated", "staff.updated services", "catalog.changed services,staff,availability"],
    ],
    [
      "a person's hours",
      catalogWith({
        staff: [
          buildStaffMember("ann", { breaks: [{ days: ["mon"], start: "12:00", end: "13:00" }] }),
          buildStaffMember("bob"),
        ],
      }),
      ["catalog.changed availability"],
    ],
    [
      "a modifier group, told by each dish that uses it",
      catalogWith({
        modifier_group: [
          buildModifierGroup("bread", { maxSelections: 2 }),
          buildModifierGroup("unused"),
        ],
      }),
      ["menu_item.updated modifiers", "catalog.changed menu"],
    ],
    [
      "a modifier group that no dish uses",
      catalogWith({
        modifier_group: [
          buildModifierGroup("bread"),
          buildModifierGroup("unused", { maxSelections: 2 }),
        ],
      }),
      ["catalog.changed menu"],
    ],
    [
      "the order of promotions, which has no name",
      catalogWith({ promotion: [buildPromotion("winter"), buildPromotion("autumn")] }),
      ["catalog.changed promotions"],
    ],
    [
      "a ticket type's price",
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
      "nothing that a partner sees",
      catalogWith({
        promotion: [buildPromotion("autumn", { maxUses: 1 } as never), buildPromotion("winter")],
      }),
      ["catalog.changed"],
    ],
  ];
  test.each(rows)("%s", (_name, to, expected) => {
    expect(summary(buildCatalog(base), to)).toEqual(expected);
  });

  test("a price of a service names the service and the variants in its ids, and carries the whole service", () => {
    const { drafts } = tell(
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
  });

  test("a changed object carries the new version and those around it keep theirs", () => {
    const from = buildCatalog(base);
    const shown = show(edit({ variants: [buildVariant("short"), buildVariant("long")] }));
    diffPublicCatalogs(
      { catalog: from, publicCatalog: show(from) },
      { catalog: from, publicCatalog: shown },
      { id: "biz_1", version: 7 },
      mark,
    );
    expect(shown.services.map(({ version }) => version)).toEqual([8, 3, 3]);
    expect(shown.services[0]?.variants.map(({ version }) => version)).toEqual([3, 8]);
  });

  test("an add-on that changes raises the version of the services that embed it", () => {
    const { changedIds } = tell(
      buildCatalog(base),
      catalogWith({ addon: [buildAddon("mask", { name: "Mud mask" }), buildAddon("tea")] }),
    );
    const shown = show(buildCatalog(base));
    expect(changedIds).toContain(shown.services[0]?.id);
    expect(changedIds).not.toContain(shown.services[1]?.id);
  });

  test("a renamed key keeps its id and tells nobody anything", () => {
    const renamed = catalogWith({
      service_category: [
        buildServiceCategory("coiffure", { name: "hair", previousKeys: ["hair"] }),
        buildServiceCategory("nails"),
      ],
    });
    expect(summary(buildCatalog(base), renamed)).toEqual(["catalog.changed"]);
  });
});
