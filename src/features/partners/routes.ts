import { conditional, routeOfPartner, unversioned } from "../../http/route-constructors.ts";
import type { RouteDefinition } from "../../http/pipeline/route.ts";
import { businessesParameters, handleListBusinesses } from "./list-businesses.ts";
import { handleListPartnerChanges, partnerChangesParameters } from "./list-changes.ts";

/** The routes above the businesses, which need the key of a partner of several. */
export const routes: readonly RouteDefinition[] = [
  routeOfPartner("GET", "Partners", "businesses", {
    operationId: "listBusinesses",
    scope: "services.read",
    summary: "List the businesses of the key",
    description:
      "Only for the key of a partner with several businesses. Lists each with the version of its catalog; with `changedSince`, only those that have changed. Request it with `If-None-Match`: a 304 says that no catalog has changed and no business was added or removed.",
    query: businessesParameters,
    responses: conditional(
      "Businesses by ID; with `changedSince`, in the order of their changes.",
      "ReachedBusinessList",
      ["ETag", "Cache-Control"],
      ["Link"],
    ),
    problems: ["cursor_expired"],
    handle: handleListBusinesses,
  }),
  routeOfPartner("GET", "Partners", "changes", {
    operationId: "listPartnerChanges",
    scope: "webhooks.read",
    summary: "List events of all businesses",
    description:
      "Only for the key of a partner with several businesses: one feed with one cursor. `business` of each envelope names the business, and the events of a business are in its order. After a 410, request `after=latest`, read `GET /v1/businesses` and the lists of all of them again, and continue with that cursor.",
    query: partnerChangesParameters,
    responses: unversioned("Events, oldest first.", "PartnerEventList"),
    problems: ["cursor_expired"],
    handle: handleListPartnerChanges,
  }),
];
