import { createSeededRandom } from "../../src/domain/seeded-random.ts";
import type { Catalog, DocOf, Kind } from "../../src/domain/catalog/catalog.ts";
import type { CatalogStatus } from "../../src/domain/catalog/common.ts";
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

/** Returns a whole number from 0 to `limit` - 1. */
export type RandomInt = (limit: number) => number;

export function createRandomInt(seed: number): RandomInt {
  const { integer } = createSeededRandom(seed);
  return (limit) => integer(0, limit - 1);
}

const STATUSES: CatalogStatus[] = ["ACTIVE", "ACTIVE", "ACTIVE", "INACTIVE", "ARCHIVED"];
const HOUR_MS = 3_600_000;

/** Returns a copy of the catalog with one to four random edits. */
export function applyRandomEdits(catalog: Catalog, randomInt: RandomInt, now: number): Catalog {
  const next = structuredClone(catalog);
  for (let edits = 1 + randomInt(4); edits > 0; edits--) applyRandomEdit(next, randomInt, now);
  return next;
}

function applyRandomEdit(catalog: Catalog, randomInt: RandomInt, now: number): void {
  const { objects } = catalog;
  const pick = <T>(list: readonly T[]): T | undefined => list[randomInt(list.length)];
  const keysOf = (kind: Kind): string[] =>
    objects[kind].map(({ key }) => key).filter(() => randomInt(3) === 0);
  const kinds = Object.keys(BUILDERS) as (keyof typeof BUILDERS)[];
  const kind = pick(kinds) as keyof typeof BUILDERS;
  const list = objects[kind] as DocOf[Kind][];
  switch (randomInt(12)) {
    case 0:
    case 1:
      list.splice(
        randomInt(list.length + 1),
        0,
        BUILDERS[kind](`${kind}-${randomInt(2 ** 32)}`, randomInt, now),
      );
      return;
    case 2:
      if (list.length > 3) list.splice(randomInt(list.length), 1);
      return;
    case 3: {
      const [moved] = list.splice(randomInt(list.length || 1), 1);
      if (moved) list.splice(randomInt(list.length + 1), 0, moved);
      return;
    }
    case 4: {
      const doc = pick(list);
      if (doc && kind !== "public_event") doc.status = pick(STATUSES) ?? "ACTIVE";
      return;
    }
    case 5: {
      const doc = pick(list);
      if (doc) doc.name = `Name ${randomInt(1000)}`;
      return;
    }
    case 6: {
      const priced = pick([...objects.service, ...objects.addon, ...objects.menu_item]);
      if (priced) priced.priceCents = randomInt(10_000);
      return;
    }
    case 7: {
      const service = pick(objects.service);
      if (service)
        service.addons = keysOf("addon").map((key) =>
          buildAddonLink(key, { maxQuantity: 1 + randomInt(3) }),
        );
      return;
    }
    case 8: {
      const service = pick(objects.service);
      if (!service) return;
      service.staff = keysOf("staff");
      service.category = pick(keysOf("service_category")) ?? null;
      service.variants = service.variants.filter(() => randomInt(3) > 0);
      if (randomInt(2) === 0)
        service.variants.splice(
          randomInt(2),
          0,
          buildVariant(`v${randomInt(2 ** 32)}`, { priceCents: randomInt(9000) }),
        );
      return;
    }
    case 9: {
      const dish = pick(objects.menu_item);
      const group = pick(objects.modifier_group);
      if (dish) dish.modifierGroups = keysOf("modifier_group");
      if (group) group.maxSelections = 1 + randomInt(5);
      return;
    }
    case 10: {
      const event = pick(objects.public_event);
      if (event)
        event.status =
          (["DRAFT", "PUBLISHED", "PUBLISHED", "CANCELLED", "POSTPONED"] as const)[randomInt(5)] ??
          "DRAFT";
      return;
    }
    default:
      return editBusiness(catalog, randomInt);
  }
}

function editBusiness({ business, schedule }: Catalog, randomInt: RandomInt): void {
  const what = randomInt(6);
  if (what === 0) business.name = `Business ${randomInt(100)}`;
  else if (what === 1) business.timezone = randomInt(2) ? "America/New_York" : "Asia/Kolkata";
  else schedule.closures = [{ name: null, yearly: `01-0${1 + randomInt(9)}` }];
}

const BUILDERS = {
  service_category: (key: string) => buildServiceCategory(key),
  addon: (key: string) => buildAddon(key),
  service: (key: string, randomInt: RandomInt) =>
    buildService(key, { variants: randomInt(2) ? [buildVariant("a"), buildVariant("b")] : [] }),
  staff: (key: string) => buildStaffMember(key),
  menu_item: (key: string) => buildMenuItem(key),
  modifier_group: (key: string) => buildModifierGroup(key),
  promotion: (key: string, randomInt: RandomInt, now: number) =>
    buildPromotion(key, {
      schedule: {
        startsAt: now + (randomInt(9) - 4) * HOUR_MS,
        endsAt: now + (5 + randomInt(9)) * HOUR_MS,
        weekly: [],
        excludeDates: [],
      },
    }),
  public_event: (key: string, randomInt: RandomInt, now: number) =>
    buildPublicEvent(key, {
      slug: key.replaceAll("_", "-"),
      startsAt: now + randomInt(9) * HOUR_MS,
      endsAt: now + (9 + randomInt(9)) * HOUR_MS,
      ticketTypes: [
        buildTicketType("adult", { salesStartAt: now + (randomInt(9) - 4) * HOUR_MS }),
        buildTicketType("child"),
      ],
      quotas: [{ key: "hall", size: 20, ticketTypes: ["adult", "child"] }],
    }),
};
