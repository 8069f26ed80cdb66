import type {
  AddonDoc,
  AddonLinkDoc,
  Catalog,
  ServiceDoc,
  StaffDoc,
  VariantDoc,
} from "../catalog/catalog.ts";
import { countOf } from "../count-of.ts";
import type { ResolvedAppointmentRequest, AddIssue, ServiceRequest } from "./request.ts";
import type { Candidate, Segment } from "./segment.ts";

type Rules = { slotIntervalMin: number; minNoticeMin: number; maxAdvanceDays: number };

/** The segments of a visit, and the rules that hold for the whole of it: the strictest of its services. */
export function planSegments(
  catalog: Catalog,
  { services, guests }: ResolvedAppointmentRequest,
  report: AddIssue,
): { segments: Segment[]; rules: Rules } {
  const segments = services.flatMap(
    (request) => planSegment(catalog, request, guests, report) ?? [],
  );
  const policy = catalog.business.bookingPolicy;
  const own = segments.flatMap(({ service }) => service?.bookingRules ?? []);
  const rules = {
    slotIntervalMin: own[0]?.slotIntervalMin ?? policy.slotIntervalMin,
    minNoticeMin: Math.max(
      0,
      ...own.map(({ minNoticeMin }) => minNoticeMin ?? policy.minNoticeMin),
    ),
    maxAdvanceDays: Math.min(
      1095,
      ...own.map(({ maxAdvanceDays }) => maxAdvanceDays ?? policy.maxAdvanceDays),
    ),
  };
  return { segments, rules };
}

function planSegment(
  catalog: Catalog,
  request: ServiceRequest,
  guests: number,
  report: AddIssue,
): Segment | undefined {
  const service = catalog.objects.service.find(({ key }) => key === request.service);
  if (service === undefined)
    return void report(
      "resource_not_found",
      `There is no service '${request.service}'.`,
      "serviceIds",
    );
  if (service.status !== "ACTIVE" || !service.bookable)
    return void report("service_not_bookable", `'${service.name}' cannot be booked.`, "serviceIds");
  if (guests > service.capacity)
    report(
      "party_too_large",
      `'${service.name}' takes ${service.capacity} at once, not ${guests}.`,
      "guests",
    );

  const variant = chosenVariant(service, request.variant);
  if (variant === undefined)
    return void report(
      "variant_service_mismatch",
      `'${service.name}' has no variant '${request.variant}'.`,
      "variantIds",
    );

  const addons = chosenAddons(catalog, service, request.addons, report);
  const optionWith = pricedOption(service, variant, addons);
  const candidates = performersOf(catalog, service, variant)
    .filter((person) => request.staff === null || person?.key === request.staff)
    .map(optionWith);
  if (request.staff !== null && candidates.length === 0)
    report(
      "staff_cannot_perform",
      `'${nameOf(catalog.objects.staff, request.staff)}' does not perform '${service.name}'.`,
      "staffIds",
    );

  const sold = (request.staff === null ? undefined : candidates[0]) ?? optionWith(null);
  return {
    service,
    variant,
    addons: addons.map(({ addon, quantity }) => ({ addon: addon.key, quantity })),
    seats: guests,
    capacity: service.capacity,
    bufferBeforeMin: service.bufferBeforeMin,
    bufferAfterMin: service.bufferAfterMin,
    resources: service.resources,
    durationMin: sold.durationMin,
    priceCents: sold.priceCents,
    candidates,
  };
}

/** What partners know it by: they have never seen its key. */
const nameOf = (docs: readonly { key: string; name: string }[], key: string): string =>
  docs.find((doc) => doc.key === key)?.name ?? key;

/** undefined: there is none of that key. */
function chosenVariant(service: ServiceDoc, key: string | null): VariantDoc | null | undefined {
  const variants = service.variants.filter(({ status }) => status === "ACTIVE");
  return key === null
    ? (variants.find(({ isDefault }) => isDefault) ?? null)
    : variants.find((v) => v.key === key);
}

type ChosenAddon = { addon: AddonDoc; link: AddonLinkDoc; quantity: number };

/** Those that are asked for, and those that are not to be had without. */
function chosenAddons(
  catalog: Catalog,
  service: ServiceDoc,
  asked: ServiceRequest["addons"],
  report: AddIssue,
): ChosenAddon[] {
  const quantities = new Map<string, number>();
  for (const { addon, quantity } of asked)
    quantities.set(addon, (quantities.get(addon) ?? 0) + quantity);

  const linked = service.addons.flatMap((link) => {
    const addon = catalog.objects.addon.find(
      ({ key, status }) => key === link.addon && status === "ACTIVE",
    );
    return addon === undefined ? [] : [{ addon, link }];
  });
  for (const key of quantities.keys())
    if (!linked.some(({ addon }) => addon.key === key))
      report(
        "addon_not_linked",
        `'${service.name}' is not offered with the add-on '${nameOf(catalog.objects.addon, key)}'.`,
        "addonIds",
      );

  return linked.flatMap(({ addon, link }) => {
    const least = Math.max(1, link.minQuantity);
    const quantity =
      quantities.get(addon.key) ??
      (link.required ? Math.max(least, link.defaultQuantity) : undefined);
    if (quantity === undefined) return [];
    if (quantity < least || quantity > link.maxQuantity) {
      const most = countOf(link.maxQuantity, "time");
      const range = least === link.maxQuantity ? most : `${least} to ${most}`;
      report("validation_failed", `'${addon.name}' comes ${range}, not ${quantity}.`, "addonIds");
    }
    return [{ addon, link, quantity }];
  });
}

/** People in the order of their keys, so that the order of a list decides nothing; null where nobody is needed. */
function performersOf(
  catalog: Catalog,
  service: ServiceDoc,
  variant: VariantDoc | null,
): (StaffDoc | null)[] {
  const performers = variant?.staff ?? service.staff;
  if (performers.length === 0) return [null];
  return catalog.objects.staff
    .filter(
      ({ key, status, bookable }) => performers.includes(key) && status === "ACTIVE" && bookable,
    )
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** For how long and how much: a person's own terms go before the variant's, these before the service's. */
function pricedOption(
  service: ServiceDoc,
  variant: VariantDoc | null,
  addons: ChosenAddon[],
): (staff: StaffDoc | null) => Candidate {
  const added = (of: (chosen: ChosenAddon) => number) =>
    addons.reduce((sum, chosen) => sum + of(chosen) * chosen.quantity, 0);
  const addedMin = added(({ addon, link }) => link.durationMin ?? addon.durationMin);
  const addedCents = added(({ addon, link }) => link.priceCents ?? addon.priceCents);
  return (staff) => {
    const own = staff?.serviceOverrides.find((override) => override.service === service.key);
    return {
      staff,
      table: null,
      durationMin: (own?.durationMin ?? variant?.durationMin ?? service.durationMin) + addedMin,
      priceCents: (own?.priceCents ?? variant?.priceCents ?? service.priceCents) + addedCents,
    };
  };
}
