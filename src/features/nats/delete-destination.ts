import { assertFound } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import { auditRow } from "../../app/audit.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createDestinationStore, type DestinationRow } from "./store.ts";

/** @throws AppError resource_not_found */
export const getDestination = (rt: Runtime, id: string): DestinationRow =>
  assertFound(
    rt.openStore(createDestinationStore).findById(id),
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
    rt.openStore(createDestinationStore).delete(id);
    auditRow(rt, "destination.deleted", destination);
  });
}
