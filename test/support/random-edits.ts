import { createSeededRandom } from "../../src/app/sample-catalog/seeded-random.ts";
import type { Catalog, DocOf, Kind, Status } from "../../src/domain/catalog/catalog.ts";
import {
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
} from "./catalog-builders.ts";

/** A whole number from 0 to below `below`. */
export type RandomInt = (below: number) => number;

export function createRandomInt(seed: number): RandomInt {
  const { integer } = createSeededRandom(seed);
  return (below) => integer(0, below - 1);
}

const STATUSES: Status[] = ["ACTIVE", "ACTIVE", "ACTIVE", "INACTIVE", "ARCHIVED"];
const HOUR = 3_600_000;

/** One to four random edits of a catalog, such as its author could make in one go. */
export function applyRandomEdits(catalog: Catalog, roll: RandomInt, now: number): Catalog {
  const next = structuredClone(catalog);
  for (let edits = 1 + roll(4); edits > 0; edits--) stirOnce(next, roll, now);
  return next;
}

function stirOnce(catalog: Catalog, roll: RandomInt, now: number): void {
  const { objects } = catalog;
  const pick = <T>(list: readonly T[]): T | undefined => list[roll(list.length)];
  const keysOf = (kind: Kind): string[] =>
    objects[kind].map(({ key }) => key).filter(() => roll(3) === 0);
  const kinds = Object.keys(MAKERS) as (keyof typeof MAKERS)[];
  const kind = pick(kinds) as keyof typeof MAKERS;
  const list = objects[kind] as DocOf[Kind][];
  switch (roll(12)) {
    case 0:
    case 1:
      list.splice(roll(list.length + 1), 0, MAKERS[kind](`${kind}-${roll(2 ** 32)}`, roll, now));
      return;
    case 2:
      if (list.length > 3) list.splice(roll(list.length), 1);
      return;
    case 3: {
      const [moved] = list.splice(roll(list.length || 1), 1);
      if (moved) list.splice(roll(list.length + 1), 0, moved);
      return;
    }
    case 4: {
      const doc = pick(list);
      if (doc && kind !== "public_event") doc.status = pick(STATUSES) ?? "ACTIVE";
      return;
    }
    case 5: {
      const doc = pick(list);
      if (doc) doc.name = `Name ${roll(1000)}`;
      return;
    }
    case 6: {
      const priced = pick([...objects.service, ...objects.addon, ...objects.menu_item]);
      if (priced) priced.priceCents = roll(10_000);
      return;
    }
    case 7: {
      const service = pick(objects.service);
      if (service)
        service.addons = keysOf("addon").map((key) =>
          buildAddonLink(key, { maxQuantity: 1 + roll(3) }),
        );
      return;
    }
    case 8: {
      const service = pick(objects.service);
      if (!service) return;
      service.staff = keysOf("staff");
      service.category = pick(keysOf("service_category")) ?? null;
      service.variants = service.variants.filter(() => roll(3) > 0);
      if (roll(2) === 0)
        service.variants.splice(
          roll(2),
          0,
          buildVariant(`v${roll(2 ** 32)}`, { priceCents: roll(9000) }),
        );
      return;
    }
    case 9: {
      const dish = pick(objects.menu_item);
      const group = pick(objects.modifier_group);
      if (dish) dish.modifierGroups = keysOf("modifier_group");
      if (group) group.maxSelections = roll(5);
      return;
    }
    case 10: {
      const event = pick(objects.public_event);
      if (event)
        event.status =
          (["DRAFT", "PUBLISHED", "PUBLISHED", "CANCELLED", "POSTPONED"] as const)[roll(5)] ??
          "DRAFT";
      return;
    }
    default:
      return stirBusiness(catalog, roll);
  }
}

function stirBusiness({ business, schedule }: Catalog, roll: RandomInt): void {
  const what = roll(6);
  if (what === 0) business.name = `Business ${roll(100)}`;
  else if (what === 1) business.timezone = roll(2) ? "America/New_York" : "Asia/Kolkata";
  else schedule.closures = [{ name: null, yearly: `01-0${1 + roll(9)}` }];
}

const MAKERS = {
  service_category: (key: string) => buildServiceCategory(key),
  addon: (key: string) => buildAddon(key),
  service: (key: string, roll: RandomInt) =>
    buildService(key, { variants: roll(2) ? [buildVariant("a"), buildVariant("b")] : [] }),
  staff: (key: string) => buildStaffMember(key),
  menu_item: (key: string) => buildMenuItem(key),
  modifier_group: (key: string) => buildModifierGroup(key),
  promotion: (key: string, roll: RandomInt, now: number) =>
    buildPromotion(key, {
      schedule: {
        startsAt: now + (roll(9) - 4) * HOUR,
        endsAt: now + (5 + roll(9)) * HOUR,
        weekly: [],
        excludeDates: [],
      },
    }),
  public_event: (key: string, roll: RandomInt, now: number) =>
    buildPublicEvent(key, {
      startsAt: now + roll(9) * HOUR,
      endsAt: now + (9 + roll(9)) * HOUR,
      ticketTypes: [
        buildTicketType("adult", { salesStartAt: now + (roll(9) - 4) * HOUR }),
        buildTicketType("child"),
      ],
      quotas: [{ key: "hall", size: 20, ticketTypes: ["adult", "child"] }],
    }),
};
