import type { nats } from "../../../src/features/nats/feature.ts";
import { redeliverEvents } from "../../../src/features/nats/redeliver.ts";
import { createCursorStore, createDestinationStore } from "../../../src/features/nats/store.ts";
import type { Injection } from "../../support/conditions.ts";
import { addDestination } from "./destinations.ts";

const LATE_MS = 5 * 60_000;

export const injections: Record<keyof typeof nats.conditions, Injection> = {
  "destination.late": (rt) => {
    const { destination } = addDestination(rt, { name: "late" });
    const setBehind = (behindSince: number | null, lastError: string | null) => {
      const state = { behindSince, lastError, streamSequence: null };
      rt.tx(() => rt.openStore(createDestinationStore).updateState(destination, state));
    };
    setBehind(rt.now() - LATE_MS, "connection refused");
    return () => setBehind(null, null);
  },
  "destination.recreated": (rt) => {
    const { destination } = addDestination(rt, { name: "recreated" });
    rt.tx(() => rt.openStore(createDestinationStore).markRecreated(destination, 1, rt.now()));
    return () => void redeliverEvents(rt, destination.id, 0);
  },
  "destination.skipped": (rt) => {
    const { destination } = addDestination(rt, { name: "skipped" });
    const { id: businessId } = rt.business;
    const skip = { businessId, sequence: 1, eventId: "evt_1", reason: "it is too large" };
    const cursors = rt.openStore(createCursorStore);
    rt.tx(() => cursors.insertSkip({ destinationId: destination.id, ...skip, at: rt.now() }));
    return () => rt.tx(() => cursors.deleteSkips(destination.id, businessId, 0));
  },
};
