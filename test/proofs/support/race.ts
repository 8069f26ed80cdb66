import { setTimeout as sleep } from "node:timers/promises";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { createTicketOrder } from "../../../src/features/tickets/orders/orders.ts";
import { AppError } from "../../../src/domain/errors.ts";
import type { Runtime } from "../../../src/app/runtime.ts";

/** What both processes try to book, and the wall clock time at which they do. */
export type Race = { resource: "ticket" | "slot"; slug: string; input: unknown; at: number };

/** The ID of the booking or order, or the error code. */
export type RaceResult = { id: string } | { error: string };

export async function runRace(
  rt: Runtime,
  { resource, slug, input, at }: Race,
): Promise<RaceResult> {
  await sleep(Math.max(0, at - Date.now() - 2));
  // This loop busy-waits: timers are not exact enough for both processes to collide.
  while (Date.now() < at);
  try {
    return { id: (resource === "ticket" ? createTicketOrder : createBooking)(rt, slug, input).id };
  } catch (error) {
    if (error instanceof AppError) return { error: error.code };
    throw error;
  }
}

/**
 * Returns a runtime with a bug, for negative controls: it checks and writes without a transaction.
 */
export const withoutTransactions = (rt: Runtime): Runtime => ({ ...rt, tx: (work) => work() });
