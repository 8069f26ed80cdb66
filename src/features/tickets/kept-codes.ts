import { assertMasterKey } from "../../app/master-key.ts";
import type { OnKeyRotation } from "../../app/feature-hooks.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { countOf } from "../../domain/text.ts";
import { createOrderStore, createTicketCodeStore, type TicketCodeRow } from "./store.ts";

// deskbell stores admission codes as hashes. The codes of orders that guests made on the booking
// page are also kept, encrypted, until the event ends, because that page shows them.

const idOf = (ticketId: string): string => `code ${ticketId}`;

/**
 * Stores an admission code, if the order keeps codes and its guest was not erased. Call it in the
 * transaction that issues the ticket.
 * @throws AppError signing_unavailable
 */
export function keepCode(rt: Runtime, orderId: string, ticketId: string, code: string): void {
  const isKept =
    rt.openStore(createOrderStore).keepsCodes(orderId) &&
    rt.store.guests.findByVisit(orderId) !== undefined;
  if (!isKept) return;
  assertMasterKey(rt);
  const sealed = rt.secrets.encrypt(code, idOf(ticketId));
  rt.openStore(createTicketCodeStore).replace({ ticketId, orderId, sealed });
}

/** Returns the kept admission codes of an order, by the ID of the ticket. */
export const readKeptCodes = (rt: Runtime, orderId: string): ReadonlyMap<string, string> =>
  new Map(
    rt
      .openStore(createTicketCodeStore)
      .listByOrder(orderId)
      .flatMap((row) => {
        const code = tryDecrypt(rt, row);
        return code === undefined ? [] : [[row.ticketId, code]];
      }),
  );

/** Returns an admission code; undefined if no key decrypts it. */
function tryDecrypt(rt: Runtime, { ticketId, sealed }: TicketCodeRow): string | undefined {
  try {
    return rt.secrets.decrypt(sealed, idOf(ticketId));
  } catch (error) {
    if (error instanceof AppError && error.code === "signing_unavailable") return undefined;
    throw error;
  }
}

/**
 * Encrypts the kept codes with a new master key. If no key decrypts a code, all codes of its order
 * are deleted.
 */
export const reencryptCodes: OnKeyRotation = (rt) =>
  rt.tx(() => {
    const store = rt.openStore(createTicketCodeStore);
    const orders = rt.openStore(createOrderStore);
    const rows = store.list();
    const lost = new Set<string>();
    for (const row of rows) {
      const code = tryDecrypt(rt, row);
      if (code === undefined) lost.add(row.orderId);
      else if (!rt.isDryRun())
        store.replace({ ...row, sealed: rt.secrets.encrypt(code, idOf(row.ticketId)) });
    }
    if (!rt.isDryRun()) for (const orderId of lost) store.deleteByOrder(orderId);
    const notes =
      lost.size === 0
        ? []
        : [
            `No key decrypts the admission codes of ${countOf(lost.size, "ticket order")}, so the guests' pages no longer show them. Tickets can also be checked in by ID: ${[...lost].map((id) => `deskbell tickets list --order ${id} --business ${orders.findBusinessSlug(id)}`).join("; ")}`,
          ];
    return { fields: { ticketCodes: rows.length, lostTicketCodes: [...lost] }, notes };
  });
