import type { ServiceDoc } from "../catalog/catalog.ts";
import { quote } from "../text.ts";
import type { Lookup } from "./catalog-lookup.ts";
import type { AddIssue, NamedSegment, ServiceRequest } from "./request.ts";

/**
 * Returns the service of a segment, or an empty list if its service, variant or staff member is
 * unknown. Each unknown name is an issue; an unknown add-on is left out.
 */
export function resolveSegment(
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
  if (variant === undefined) addIssueOfVariant(lookup, service, variantId, addIssue);
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

function addIssueOfVariant(
  lookup: Lookup,
  service: ServiceDoc | undefined,
  variantId: string | null,
  addIssue: AddIssue,
): void {
  const name = variantId ?? "";
  if (lookup.findVariant(name) === undefined)
    addIssue("resource_not_found", `There is no variant ${quote(name)}.`, "variantIds");
  else
    addIssue(
      "variant_service_mismatch",
      `${quote(name)} is not a variant of '${service?.name}'.`,
      "variantIds",
    );
}
