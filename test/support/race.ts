import { setTimeout as sleep } from "node:timers/promises";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { createTicketOrder } from "../../src/app/bookings/ticket-orders.ts";
import { AppError } from "../../src/domain/errors.ts";
import type { Runtime } from "../../src/app/runtime.ts";

/** What both processes want, and the instant of the wall clock at which they reach for it. */
export type Race = { want: "ticket" | "slot"; slug: string; input: unknown; at: number };

/** The id of what was got; or the code of the refusal. */
export type RaceResult = { id: string } | { refused: string };

export async function runRace(rt: Runtime, { want, slug, input, at }: Race): Promise<RaceResult> {
  await sleep(Math.max(0, at - Date.now() - 2));
  // The last two milliseconds awake: a timer is not exact enough for both to arrive together.
  while (Date.now() < at);
  try {
    return { id: (want === "ticket" ? createTicketOrder : createBooking)(rt, slug, input).id };
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code };
    throw error;
  }
}
