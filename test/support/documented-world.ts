import type { Business, Rules, Service } from "./documented-types.ts";
import type { CatalogFile } from "./documented-catalog.ts";
import { createZone, type Weekly } from "./documented-hours.ts";

type Length = { durationMin: number; priceCents: number };
type Changed = { durationMin: number | null; priceCents: number | null };

/** What the API serves of a business. */
export type PublicCatalog = {
  profile: {
    timezone: string;
    bookingPolicy: Rules;
    openingHours: {
      regular: { days: string[]; start: string; end: string }[];
      closures: { from: string | null; to: string | null; yearly: string | null }[];
    };
  };
  services: (Length & {
    id: string;
    name: string;
    capacity: number;
    variants: (Length & { id: string; name: string; isDefault: boolean })[];
    addonLinks: (Changed & {
      addonId: string;
      required: boolean;
      minQuantity: number;
      maxQuantity: number;
      defaultQuantity: number;
      addon: Length;
    })[];
    bookingRules: { [Name in keyof Rules]: number | null };
  })[];
  staff: { id: string; bookable: boolean; serviceOverrides: (Changed & { serviceId: string })[] }[];
};

/**
 * Returns a business as its public catalog describes it; only what partners do not see comes from
 * the file. `ids` maps the keys of people to IDs; the function adds the keys of services.
 */
export function readBusiness(
  { profile, services, staff }: PublicCatalog,
  file: CatalogFile,
  ids: Map<string, string>,
): Business {
  const { bookingPolicy, openingHours } = profile;
  const idOf = (key: string): string => ids.get(key) ?? key;
  return {
    zone: createZone(profile.timezone),
    opening: {
      hours: openingHours.regular.map(({ days, start, end }): Weekly => ({ days, start, end })),
      exceptions: file.exceptions,
      closures: openingHours.closures.map(({ from, to, yearly }) =>
        yearly === null ? { from: from ?? "", to: to ?? "" } : { yearly },
      ),
    },
    policy: { ...file.business.bookingPolicy, ...bookingPolicy },
    services: new Map(
      services.map((service) => {
        const own = file.services.find(({ name }) => name === service.name);
        if (!own) throw new Error(`unknown service ${service.name}`);
        ids.set(own.key, service.id);
        return [service.id, toService(service, own, bookingPolicy, idOf)];
      }),
    ),
    people: new Map(
      file.staff.map((person) => {
        const id = idOf(person.key);
        const shown = staff.find((one) => one.id === id);
        const overrides: [string, Changed][] = shown
          ? shown.serviceOverrides.map((one) => [one.serviceId, one])
          : person.serviceOverrides.map(({ service, durationMin = null, priceCents = null }) => [
              idOf(service),
              { durationMin, priceCents },
            ]);
        const canBeBooked = shown?.bookable ?? person.bookable;
        const rest = { isPublic: shown !== undefined, canBeBooked };
        return [id, { ...person, id, ...rest, overrides: Object.fromEntries(overrides) }];
      }),
    ),
    resources: new Map(file.resources.map(({ key, capacity }) => [key, capacity])),
    tables: [],
    turnTimes: file.turnTimes,
    occupied: [],
    seated: [],
  };
}

function toService(
  { id, durationMin, priceCents, capacity, ...service }: PublicCatalog["services"][number],
  own: CatalogFile["services"][number],
  policy: Rules,
  idOf: (key: string) => string,
): Service {
  const { slotIntervalMin, minNoticeMin, maxAdvanceDays } = service.bookingRules;
  return {
    id,
    durationMin,
    priceCents,
    capacity,
    staff: own.staff.map(idOf),
    variants: service.variants.map((variant) => {
      const { staff } = own.variants.find(({ name }) => name === variant.name) ?? {};
      return { ...variant, staff: staff?.map(idOf) ?? null };
    }),
    addons: service.addonLinks.map((link) => ({
      id: link.addonId,
      required: link.required,
      min: link.minQuantity,
      max: link.maxQuantity,
      usual: link.defaultQuantity,
      durationMin: link.durationMin ?? link.addon.durationMin,
      priceCents: link.priceCents ?? link.addon.priceCents,
    })),
    rules: {
      slotIntervalMin: slotIntervalMin ?? policy.slotIntervalMin,
      minNoticeMin: minNoticeMin ?? policy.minNoticeMin,
      maxAdvanceDays: maxAdvanceDays ?? policy.maxAdvanceDays,
    },
    before: own.bufferBeforeMin,
    after: own.bufferAfterMin,
    resources: own.resources.map(({ resource, units }) => ({ key: resource, units })),
  };
}
