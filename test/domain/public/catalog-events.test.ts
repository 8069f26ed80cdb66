import { describe, expect, test } from "vitest";
import type { Catalog, CatalogObjects } from "../../../src/domain/catalog/catalog.ts";
import { diffPublic } from "../../../src/domain/public/catalog-events.ts";
import { sealEnvelope } from "../../../src/domain/envelope.ts";
import type { DayState, Mark } from "../../../src/domain/public/lens.ts";
import { representCatalog } from "../../../src/domain/public/representation.ts";
import {
  aCatalog,
  aDish,
  aLink,
  aModifierGroup,
  anAddon,
  aPerson,
  aPromotion,
  aPublicEvent,
  aService,
  aServiceCategory,
  aTicketType,
  aVariant,
} from "../../support/catalog.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const mark = { version: 8, updatedAt: NOW, text: "2026-11-20T07:00:00-05:00" };
const before: Mark = { version: 3, updatedAt: NOW - 1000 };

const show = (catalog: Catalog, now = NOW, day: Partial<DayState> = {}) =>
  representCatalog(
    { catalog, mark: () => before, day: { soldOut: new Map(), taken: new Map(), ...day } },
    now,
  );

function tell(from: Catalog, to: Catalog, now = NOW) {
  const state = (catalog: Catalog) => ({ catalog, shown: show(catalog, now) });
  return diffPublic(state(from), state(to), { id: "biz_1", version: 7 }, mark);
}

/** `type flag,flag` of each event. */
const summary = (from: Catalog, to: Catalog) =>
  tell(from, to).drafts.map((draft) => {
    const { changed } = sealEnvelope(draft, "evt_1", NOW, {
      id: "b",
      slug: "s",
      name: "n",
      timezone: "UTC",
    }).data;
    const raised = Object.keys(changed).filter((flag) => changed[flag]);
    return [draft.type, ...(raised.length > 0 ? [raised.join(",")] : [])].join(" ");
  });

const cut = aService("cut", {
  variants: [aVariant("short"), aVariant("long", { priceCents: 5000 })],
  addons: [aLink("mask")],
  staff: ["ann"],
});
const base: Partial<CatalogObjects> = {
  service_category: [aServiceCategory("hair"), aServiceCategory("nails")],
  addon: [anAddon("mask"), anAddon("tea")],
  service: [cut, aService("colour"), aService("spa")],
  staff: [aPerson("ann"), aPerson("bob")],
  menu_item: [aDish("soup", { modifierGroups: ["bread"] }), aDish("salad")],
  modifier_group: [aModifierGroup("bread"), aModifierGroup("unused")],
  promotion: [aPromotion("autumn"), aPromotion("winter")],
  public_event: [
    aPublicEvent("jazz", {
      ticketTypes: [aTicketType("adult"), aTicketType("child")],
      quotas: [{ key: "hall", size: 100, ticketTypes: ["adult", "child"] }],
    }),
  ],
};
const catalogWith = (objects: Partial<CatalogObjects>) => aCatalog({ ...base, ...objects });
const edit = (fields: Partial<typeof cut>) =>
  catalogWith({ service: [{ ...cut, ...fields }, aService("colour"), aService("spa")] });

describe("events that a change of the catalog causes", () => {
  const rows: [string, Catalog, string[]][] = [
    [
      "a service's price",
      edit({ priceCents: 3500 }),
      ["service.updated price", "service_price.updated price", "catalog.changed services"],
    ],
    [
      "a variant's price",
      edit({ variants: [aVariant("short"), aVariant("long", { priceCents: 5500 })] }),
      [
        "service.updated price,variants",
        "service_price.updated price,variants",
        "service_variant.changed price,variants",
        "catalog.changed services",
      ],
    ],
    [
      "a variant added",
      edit({ variants: [...cut.variants, aVariant("kids", { priceCents: 100 })] }),
      [
        "service.updated variants",
        "service_variant.changed variants",
        "catalog.changed services,availability",
      ],
    ],
    [
      "a variant hidden",
      edit({
        variants: [aVariant("short"), aVariant("long", { priceCents: 5000, status: "INACTIVE" })],
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
      edit({ addons: [aLink("mask", { maxQuantity: 2 })] }),
      ["service.updated addons", "catalog.changed services"],
    ],
    [
      "a link's own price",
      edit({ addons: [aLink("mask", { priceCents: 400 })] }),
      [
        "service.updated price,addons",
        "service_price.updated price,addons",
        "catalog.changed services",
      ],
    ],
    [
      "a link to an add-on",
      edit({ addons: [aLink("mask"), aLink("tea")] }),
      ["service.updated addons", "catalog.changed services,availability"],
    ],
    [
      "an add-on that a service embeds",
      catalogWith({ addon: [anAddon("mask", { priceCents: 600 }), anAddon("tea")] }),
      ["addon.updated price", "catalog.changed services"],
    ],
    [
      "a service created",
      catalogWith({ service: [cut, aService("colour"), aService("spa"), aService("wax")] }),
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
      catalogWith({ service: [aService("spa"), cut, aService("colour")] }),
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
          aPerson("ann", { breaks: [{ days: ["mon"], start: "12:00", end: "13:00" }] }),
          aPerson("bob"),
        ],
      }),
      ["catalog.changed availability"],
    ],
    [
      "a modifier group, told by each dish that uses it",
      catalogWith({
        modifier_group: [aModifierGroup("bread", { maxSelections: 2 }), aModifierGroup("unused")],
      }),
      ["menu_item.updated modifiers", "catalog.changed menu"],
    ],
    [
      "a modifier group that no dish uses",
      catalogWith({
        modifier_group: [aModifierGroup("bread"), aModifierGroup("unused", { maxSelections: 2 })],
      }),
      ["catalog.changed menu"],
    ],
    [
      "the order of promotions, which has no name",
      catalogWith({ promotion: [aPromotion("winter"), aPromotion("autumn")] }),
      ["catalog.changed promotions"],
    ],
    [
      "a ticket type's price",
      catalogWith({
        public_event: [
          aPublicEvent("jazz", {
            ticketTypes: [aTicketType("adult", { priceCents: 3000 }), aTicketType("child")],
            quotas: [{ key: "hall", size: 100, ticketTypes: ["adult", "child"] }],
          }),
        ],
      }),
      ["event.updated price", "catalog.changed events"],
    ],
    [
      "nothing that a partner sees",
      catalogWith({
        promotion: [aPromotion("autumn", { maxUses: 1 } as never), aPromotion("winter")],
      }),
      ["catalog.changed"],
    ],
  ];
  test.each(rows)("%s", (_name, to, expected) => {
    expect(summary(aCatalog(base), to)).toEqual(expected);
  });

  test("a price of a service names the service and the variants in its ids, and carries the whole service", () => {
    const { drafts } = tell(
      aCatalog(base),
      edit({ variants: [aVariant("short"), aVariant("long", { priceCents: 1 })] }),
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
    const from = aCatalog(base);
    const shown = show(edit({ variants: [aVariant("short"), aVariant("long")] }));
    diffPublic(
      { catalog: from, shown: show(from) },
      { catalog: from, shown },
      { id: "biz_1", version: 7 },
      mark,
    );
    expect(shown.services.map(({ version }) => version)).toEqual([8, 3, 3]);
    expect(shown.services[0]?.variants.map(({ version }) => version)).toEqual([3, 8]);
  });

  test("an add-on that changes raises the version of the services that embed it", () => {
    const { changedIds } = tell(
      aCatalog(base),
      catalogWith({ addon: [anAddon("mask", { name: "Mud mask" }), anAddon("tea")] }),
    );
    const shown = show(aCatalog(base));
    expect(changedIds).toContain(shown.services[0]?.id);
    expect(changedIds).not.toContain(shown.services[1]?.id);
  });

  test("a renamed key keeps its id and tells nobody anything", () => {
    const renamed = catalogWith({
      service_category: [
        aServiceCategory("coiffure", { name: "hair", previousKeys: ["hair"] }),
        aServiceCategory("nails"),
      ],
    });
    expect(summary(aCatalog(base), renamed)).toEqual(["catalog.changed"]);
  });
});
