import type { Catalog, AddonDoc, ServiceDoc, VariantDoc } from "../catalog/catalog.ts";
import { type Audience, createLookup, type Lookup } from "./catalog-lookup.ts";
import { type VisitPlan, planResolvedRequest } from "./visit-plan.ts";
import {
  addIssueTo,
  pointingTo,
  type RequestIssue,
  type NamedRequest,
  type ResolvedAppointmentRequest,
  type AddIssue,
  type ServiceRequest,
  type ResolvedTableRequest,
  type NamedAppointmentRequest,
  type DateRange,
  type NamedSegment,
} from "./request.ts";
import { quote } from "../text.ts";

/** Returns the plan of the requested visit. @throws AppError with every issue of the request */
export function planNamedRequest(
  catalog: Catalog,
  audience: Audience,
  request: NamedRequest,
  dates: DateRange,
  nowMs: number,
): VisitPlan {
  const issues: RequestIssue[] = [];
  const addIssue = addIssueTo(issues);
  const resolved = resolveRequest(catalog, audience, request, addIssue);
  return planResolvedRequest(catalog, { ...dates, ...resolved }, nowMs, issues);
}

/**
 * Returns the request with catalog keys in place of names. An unknown name is an issue and is left
 * out.
 */
function resolveRequest(
  catalog: Catalog,
  audience: Audience,
  request: NamedRequest,
  addIssue: AddIssue,
): ResolvedAppointmentRequest | ResolvedTableRequest {
  const lookup = createLookup(catalog, audience, addIssue);
  if ("partySize" in request) {
    const area =
      request.areaId === null ? null : lookup.findOrAddIssue("area", request.areaId, "areaId");
    return { partySize: request.partySize, area: area?.key ?? null };
  }
  if ("segments" in request)
    return {
      services: request.segments.flatMap((segment, index) => {
        const addSegmentIssue = pointingTo(addIssue, index);
        const segmentLookup = createLookup(catalog, audience, addSegmentIssue);
        return resolveSegment(segmentLookup, segment, addSegmentIssue).map((service) => ({
          ...service,
          segment: index,
        }));
      }),
      guests: request.guests,
    };
  const resolved = resolveServices(lookup, request, addIssue);
  addAddons(lookup, resolved, request.addonIds, addIssue);
  addStaff(lookup, resolved, request.staffIds, addIssue);
  return {
    services: resolved.map(({ service, ...choices }) => ({ ...choices, service: service.key })),
    guests: request.guests,
  };
}

type ResolvedService = Omit<ServiceRequest, "service"> & { service: ServiceDoc };

const createResolvedService = (
  service: ServiceDoc,
  variant: VariantDoc | null = null,
): ResolvedService => ({
  service,
  variant: variant?.key ?? null,
  addons: [],
  staff: null,
});

/**
 * Returns the requested services with their variants. A variant goes to the first entry of its
 * service that has none yet. If the request names no service, each variant adds its service.
 */
function resolveServices(
  lookup: Lookup,
  { serviceIds, variantIds }: NamedAppointmentRequest,
  addIssue: AddIssue,
): ResolvedService[] {
  const resolved = serviceIds.flatMap((name) => {
    const service = lookup.findOrAddIssue("service", name, "serviceIds");
    return service === undefined ? [] : [createResolvedService(service)];
  });
  for (const name of variantIds) {
    const matches = resolved.map((entry) => ({
      entry,
      variant: lookup.variantOf(entry.service, name),
    }));
    const unassigned = matches.find(
      ({ entry, variant }) => variant !== undefined && entry.variant === null,
    );
    const named = unassigned === undefined ? lookup.findVariant(name) : undefined;
    if (unassigned?.variant !== undefined) unassigned.entry.variant = unassigned.variant.key;
    else if (named === undefined)
      addIssue("resource_not_found", `There is no variant ${quote(name)}.`, "variantIds");
    else if (serviceIds.length === 0)
      resolved.push(createResolvedService(named.service, named.variant));
    else {
      const { service, variant } = named;
      const mismatch = resolved.some((entry) => entry.service === service)
        ? `Too many variants of '${service.name}': name the service once for each variant.`
        : `'${variant.name}' is a variant of '${service.name}', which is not among the services.`;
      addIssue("variant_service_mismatch", mismatch, "variantIds");
    }
  }
  return resolved;
}

/**
 * Adds each named add-on to a service that offers it. The name `wash*2` stands for two, and
 * `cut:wash` for the add-on of one service.
 */
function addAddons(
  lookup: Lookup,
  resolved: ResolvedService[],
  names: readonly string[],
  addIssue: AddIssue,
): void {
  for (const text of names) {
    const { service, name: nameAndQuantity } = lookup.splitService(text);
    const [, name = nameAndQuantity, quantity = "1"] =
      /^(.+)\*(\d{1,6})$/.exec(nameAndQuantity) ?? [];
    const addon = lookup.findOrAddIssue("addon", name, "addonIds");
    if (addon === undefined) continue;
    const offering = resolved.filter(
      (entry) =>
        (service ?? entry.service) === entry.service &&
        entry.service.addons.some((link) => link.addon === addon.key),
    );
    // If a service is requested several times, the add-on goes to the first entry that does not
    // have it yet. If all entries have the add-on, it goes to the first entry.
    const target =
      offering.find(({ addons }) => addons.every((other) => other.addon !== addon.key)) ??
      offering[0];
    if (target === undefined)
      addIssue("addon_not_linked", notOfferedMessage(resolved, service, addon), "addonIds");
    else if (new Set(offering.map((entry) => entry.service)).size > 1)
      addIssue(
        "validation_failed",
        `Several services offer the add-on '${addon.name}': name one, as in service:add-on.`,
        "addonIds",
      );
    else target.addons.push({ addon: addon.key, quantity: Number(quantity) });
  }
}

/** @param named the service that the request names for the add-on, if it names one */
function notOfferedMessage(
  resolved: ResolvedService[],
  named: ServiceDoc | undefined,
  addon: AddonDoc,
): string {
  if (named !== undefined && resolved.every(({ service }) => service !== named))
    return `'${named.name}' is not among the services.`;
  const service = named ?? (resolved.length === 1 ? resolved[0]?.service : undefined);
  const subject = service === undefined ? "None of the services is" : `'${service.name}' is not`;
  return `${subject} offered with the add-on '${addon.name}'.`;
}

/**
 * Sets the staff member of the whole visit, then the staff of single services. If a service is
 * requested several times, a single name applies each time, and several names apply in order.
 */
function addStaff(
  lookup: Lookup,
  resolved: ResolvedService[],
  names: readonly string[],
  addIssue: AddIssue,
): void {
  // A key of null stands for any staff member.
  const assignments = names.flatMap((text) => {
    const { service, name } = lookup.splitService(text);
    const person = name === "any" ? null : lookup.findOrAddIssue("staff", name, "staffIds");
    return person === undefined ? [] : [{ service, key: person?.key ?? null }];
  });
  const [forVisit, forServices] = [
    assignments.filter(({ service }) => !service),
    assignments.filter(({ service }) => service),
  ];
  const addAmbiguousStaff = () =>
    addIssue(
      "validation_failed",
      "Name the service of each staff member, as in service:person.",
      "staffIds",
    );

  const [personOfVisit, ...otherPeople] = new Set(forVisit.flatMap(({ key }) => key ?? []));
  if (otherPeople.length > 0) addAmbiguousStaff();
  for (const entry of resolved) entry.staff = personOfVisit ?? null;
  for (const [service, people] of Map.groupBy(forServices, (assigned) => assigned.service)) {
    const matching = resolved.filter((entry) => entry.service === service);
    if (matching.length === 0)
      addIssue("staff_cannot_perform", `'${service?.name}' is not among the services.`, "staffIds");
    else if (people.length > matching.length) addAmbiguousStaff();
    for (const [i, entry] of matching.entries())
      entry.staff = people[people.length === 1 ? 0 : i]?.key ?? null;
  }
}

/**
 * Returns a list with the service of a segment; empty if the service, variant or staff member is
 * unknown. Unknown IDs are issues, and unknown add-ons are left out. The variant is not checked if
 * its service is unknown. Issues name the parameters of the query; `pointingTo` adds the fields of
 * the segment.
 */
function resolveSegment(
  lookup: Lookup,
  { serviceId, variantId, addons, staffId }: NamedSegment,
  addIssue: AddIssue,
): ServiceRequest[] {
  const service = lookup.findOrAddIssue("service", serviceId, "serviceIds");
  const staff = staffId === null ? null : lookup.findOrAddIssue("staff", staffId, "staffIds");
  const chosen = addons.map(({ addonId, quantity }) => ({
    addon: lookup.findOrAddIssue("addon", addonId, "addonIds"),
    quantity,
  }));
  const variant =
    service === undefined || variantId === null ? null : lookup.variantOf(service, variantId);
  if (service !== undefined && variantId !== null && variant === undefined)
    addVariantIssue(lookup, service, variantId, addIssue);
  if (service === undefined || variant === undefined || staff === undefined) return [];
  return [
    {
      service: service.key,
      variant: variant && variant.key,
      addons: chosen.flatMap(({ addon, quantity }) =>
        addon === undefined ? [] : { addon: addon.key, quantity },
      ),
      staff: staff && staff.key,
    },
  ];
}

function addVariantIssue(
  lookup: Lookup,
  service: ServiceDoc,
  name: string,
  addIssue: AddIssue,
): void {
  if (lookup.findVariant(name) === undefined)
    addIssue("resource_not_found", `There is no variant ${quote(name)}.`, "variantIds");
  else
    addIssue(
      "variant_service_mismatch",
      `${quote(name)} is not a variant of '${service.name}'.`,
      "variantIds",
    );
}
