import type { AuditAction } from "../../domain/audit.ts";
import { assertFound } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import type { DestinationRow } from "../../store/destinations.ts";
import { audit } from "../audit.ts";
import type { Runtime } from "../runtime.ts";

// A restore deletes destinations on a thread that does not load zod, so this file must not load the
// rules of new ones.

/** @throws AppError resource_not_found */
export const getDestination = (rt: Runtime, id: string): DestinationRow =>
  assertFound(
    rt.store.destinations.findById(id),
    `There is no destination ${quote(id)}.`,
    "deskbell destinations list",
  );

/**
 * Deletes a destination with its cursors. The stream keeps its messages.
 * @throws AppError resource_not_found
 */
export function deleteDestination(rt: Runtime, id: string): void {
  rt.tx(() => {
    const destination = getDestination(rt, id);
    rt.store.destinations.delete(id);
    auditDestination(rt, "destination.deleted", destination);
  });
}

export const auditDestination = (
  rt: Runtime,
  action: Extract<AuditAction, `destination.${string}`>,
  { id, name, businessId }: DestinationRow,
  details?: Record<string, unknown>,
): string => audit(rt, { action, subject: { id, name }, businessId, details });
