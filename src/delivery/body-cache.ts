import { hash } from "node:crypto";
import type { Runtime } from "../app/runtime.ts";

const MAX_KEPT = 128;

/**
 * The bytes of events, each read and checked once while its deliveries go out to one endpoint after another. Undefined for
 * damaged ones: SQLite does not notice damage inside a value, and a wrong body with a right signature is the worst outcome.
 */
export function createBodyCache(rt: Runtime): (eventId: string) => Buffer | undefined {
  const kept = new Map<string, Buffer>();
  return (eventId) => {
    const known = kept.get(eventId);
    if (known !== undefined) return known;
    const event = rt.store.events.findById(eventId);
    if (event === undefined || !hash("sha256", event.body, "buffer").equals(event.sha256))
      return undefined;
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(eventId, event.body);
    return event.body;
  };
}
