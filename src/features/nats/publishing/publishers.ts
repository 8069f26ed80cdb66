import type { Runtime } from "../../../app/runtime.ts";
import type { Connect } from "./broker.ts";
import { Publisher } from "./publisher.ts";
import { createCursorStore, createDestinationStore } from "../store.ts";

/** How often all businesses are searched for events that no commit has announced. */
const SCAN_MS = 60_000;
/** How long publishes in flight may take when a destination changes. */
const GRACE_MS = 10_000;

/**
 * Loads the module with the NATS client at the first connection, because most servers have no
 * destination.
 */
const connectLazily: Connect = async (settings) =>
  (await import("./nats.ts")).connectToStream(settings);

type Running = { version: number; publisher: Publisher; isStopping: boolean };

/** Publishes events to the existing destinations, and follows changes of the destinations. */
export function createPublishers(rt: Runtime, connect: Connect = connectLazily) {
  const destinations = rt.openStore(createDestinationStore);
  const cursors = rt.openStore(createCursorStore);
  const running = new Map<string, Running>();
  /** The row number of the newest event that was seen. */
  let lastEvent = 0;
  let scannedAt = -Infinity;
  let isStopped = false;

  /**
   * Publishes new events; call it after a commit. A server without destinations only looks for new
   * destinations.
   */
  function wake(): void {
    const versions = new Map(destinations.listVersions());
    if (versions.size === 0 && running.size === 0) return;
    const newest = cursors.getLastEvent();
    // SQLite may reuse the row numbers of deleted events, so the newest number can fall. A scan
    // then finds the new events.
    if (newest < lastEvent) scannedAt = -Infinity;
    const changed = newest > lastEvent ? cursors.listBusinessesWithEvents(lastEvent, newest) : [];
    lastEvent = newest;
    syncPublishers(versions);
    for (const { publisher } of running.values()) {
      for (const businessId of changed) publisher.enqueue(businessId);
      publisher.run();
    }
  }

  /**
   * Starts a publisher for each new destination, stops the publishers of deleted destinations, and
   * restarts the publishers of changed destinations.
   */
  function syncPublishers(versions: ReadonlyMap<string, number>): void {
    for (const [id, entry] of running)
      if (versions.get(id) !== entry.version && !entry.isStopping) void end(id, entry);
    for (const [id, version] of versions) if (!running.has(id)) start(id, version);
  }

  /**
   * Stops a publisher. If its destination was changed, a new publisher starts when no publish is in
   * flight any more, or after `GRACE_MS`.
   */
  async function end(id: string, entry: Running): Promise<void> {
    entry.isStopping = true;
    await entry.publisher.stop(GRACE_MS);
    running.delete(id);
    if (!isStopped) syncPublishers(new Map(destinations.listVersions()));
  }

  function start(id: string, version: number): void {
    const destination = destinations.findById(id);
    if (destination === undefined) return;
    const publisher = new Publisher(rt, destination, connect);
    running.set(id, { version, publisher, isStopping: false });
    publisher.scan(true);
  }

  /** Retries failed publishes, and saves the cursors. Call it each second. */
  function tick(): void {
    const isScanDue = rt.monotonic() - scannedAt >= SCAN_MS;
    if (isScanDue) scannedAt = rt.monotonic();
    for (const { publisher, isStopping } of running.values()) {
      if (isStopping) continue;
      if (isScanDue) publisher.scan();
      publisher.run();
      publisher.save();
    }
  }

  async function stop(graceMs: number): Promise<void> {
    isStopped = true;
    await Promise.all([...running.values()].map(({ publisher }) => publisher.stop(graceMs)));
  }

  return { wake, tick, stop };
}

export type Publishers = ReturnType<typeof createPublishers>;
