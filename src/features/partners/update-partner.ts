import { audit } from "../../app/audit.ts";
import { assertNoIssues, validateCidrs } from "../../app/key-validation.ts";
import { narrowEndpoint } from "../../app/keys.ts";
import type { Runtime } from "../../app/runtime.ts";
import { deepEqual } from "../../domain/equality.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { assertName, getPartner } from "./partners.ts";
import type { PartnerSettings } from "./rules.ts";
import { createPartnerStore, type PartnerRow } from "./store.ts";

/** Settings to change; fields that are missing keep their value. */
export type PartnerChanges = Partial<PartnerSettings>;

export type PartnerUpdate = {
  partner: PartnerRow;
  /** The settings that have another value now. */
  changes: Record<string, { from: unknown; to: unknown }>;
  /** The endpoints that were unsubscribed from events which the partner may no longer receive. */
  narrowed: EndpointRow[];
};

/**
 * Changes a partner with all of its keys and its access to every business, and unsubscribes its
 * endpoints from events that the partner may no longer receive. The delivery worker cancels the
 * deliveries of these events. If a limit becomes lower, existing endpoints and holds stay.
 * @throws AppError validation_failed, resource_not_found; conflict for the name of another partner;
 *   state_refuses if an endpoint would have no event left
 */
export function updatePartner(rt: Runtime, id: string, wanted: PartnerChanges): PartnerUpdate {
  assertNoIssues(validateCidrs(wanted.cidrs ?? []));
  return rt.tx(() => {
    const former = getPartner(rt, id);
    const changed = Object.fromEntries(
      Object.entries(wanted).filter(
        ([field, value]) => !isSame(value, former[field as keyof PartnerChanges]),
      ),
    ) as PartnerChanges;
    if (Object.keys(changed).length === 0) return { partner: former, changes: {}, narrowed: [] };
    if (changed.name !== undefined) assertName(rt, changed.name);
    const partner = { ...former, ...changed };
    rt.openStore(createPartnerStore).update(former, partner);
    const narrowed = changed.eventGroups === undefined ? [] : narrowEndpoints(rt, partner);
    auditUpdate(rt, former, changed);
    const changes = Object.fromEntries(
      Object.entries(changed).map(([field, to]) => [
        field,
        { from: former[field as keyof PartnerChanges], to },
      ]),
    );
    return { partner, changes, narrowed };
  });
}

/** Compares two settings; the order of scopes, event groups and address ranges does not matter. */
const isSame = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? new Set(a).symmetricDifference(new Set(b)).size === 0
    : deepEqual(a, b);

/**
 * Unsubscribes a partner's endpoints from events outside its `eventGroups`, and returns the changed
 * endpoints.
 * @throws AppError state_refuses if an endpoint would have no event left
 */
function narrowEndpoints(rt: Runtime, { id, eventGroups }: PartnerRow): EndpointRow[] {
  const { endpoints } = rt.store;
  const endpointsOfPartner = [
    ...endpoints.listOf({ businessId: null, partnerId: id }),
    ...endpoints.listAtBusinesses(id),
  ];
  return endpointsOfPartner.filter((endpoint) => narrowEndpoint(rt, endpoint, eventGroups));
}

/**
 * Writes the change to the audit log of the server. New scopes and event groups are also written to
 * the log of each business, where its owner finds them.
 */
function auditUpdate(rt: Runtime, { id, name }: PartnerRow, changed: PartnerChanges): void {
  const action = "partner.updated";
  const subject = { id, name };
  audit(rt, { action, subject, businessId: null, details: changed });
  const { scopes, eventGroups } = changed;
  if (scopes === undefined && eventGroups === undefined) return;
  const store = rt.openStore(createPartnerStore);
  // Every ID comes after the empty text, so all businesses are listed.
  for (const business of store.listReached(id, "", store.countReached(id)))
    audit(rt, { action, subject, businessId: business.id, details: { scopes, eventGroups } });
}
