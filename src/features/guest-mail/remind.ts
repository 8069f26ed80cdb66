import type { Runtime } from "../../app/runtime.ts";
import { writeMail } from "./queue-mail.ts";
import { REMINDER_MS } from "./rules.ts";
import { createGuestMailStore, createUpcomingStore } from "./store.ts";

/**
 * Writes the reminders that are due. The first call after mail was first switched on, or after a
 * restore, writes none: visits within the next day get no reminder.
 */
export function remind(rt: Runtime): void {
  const store = rt.openStore(createGuestMailStore);
  const until = rt.now() + REMINDER_MS;
  // Visits that start up to this time have their reminders, or were less than a day away at the
  // first call.
  const from = store.findState()?.remindedUntil;
  if (from === undefined) return rt.tx(() => store.createState(until));
  if (from >= until) return;
  const upcoming = rt.openStore(createUpcomingStore).list(Math.max(from, rt.now()), until);
  rt.tx(() => {
    for (const { businessId, createdByKey: keyId, ...visit } of upcoming) {
      const business = rt.store.businesses.findById(businessId);
      if (business === undefined || keyId === null) continue;
      const facts = { ...visit, status: "CONFIRMED", decideBy: null };
      writeMail(rt, business, { ...facts, kind: "reminder", keyId });
    }
    store.saveReminded(until);
  });
}
