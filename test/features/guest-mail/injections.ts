import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import type { guestMail } from "../../../src/features/guest-mail/feature.ts";
import { REPORTED_FAILURES } from "../../../src/features/guest-mail/rules.ts";
import { createGuestMailStore } from "../../../src/features/guest-mail/store.ts";
import type { Injection } from "../../support/conditions.ts";

export const injections: Record<keyof typeof guestMail.conditions, Injection> = {
  "guest_mail.failing": (rt) => {
    const store = rt.openStore(createGuestMailStore);
    rt.tx(() => {
      store.createState(rt.now());
      for (let i = 0; i < REPORTED_FAILURES; i++)
        store.saveFailure("connect ECONNREFUSED 192.0.2.1:25", rt.now());
    });
    return () => rt.tx(() => store.clearFailure());
  },
  "guest_mail.unsent": (rt) => {
    const store = rt.openStore(createGuestMailStore);
    const { id: businessId } = rt.business;
    const visitId = "bkg_unsent";
    rt.tx(() => {
      saveCustomer(rt, businessId, visitId, {
        name: null,
        email: "ana@example.com",
        phone: null,
        notes: null,
      });
      store.insert({
        id: rt.newId("gml"),
        businessId,
        visitId,
        kind: "moved",
        facts: {
          status: "CONFIRMED",
          version: 2,
          startsAt: 0,
          endsAt: 0,
          decideBy: null,
          cancelUntil: 0,
        },
        status: "FAILED",
        reason: "550 5.1.1",
        attempts: 1,
        nextAttemptAt: null,
        createdAt: rt.now(),
        expiresAt: rt.now(),
        endedAt: rt.now(),
      });
    });
    return () => rt.tx(() => saveCustomer(rt, businessId, visitId, null));
  },
};
