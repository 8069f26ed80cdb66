import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { join } from "node:path";
import { expect } from "vitest";
import { createTerminal, type StartedProgram } from "../../support/cli.ts";

// Clients of one business, which work while its server is handed over to another machine or split.

export type Server = { dataDir: string; url: string; daemon: StartedProgram };

type Shop = {
  slug: string;
  /** The secret of an API key with all scopes and no limits. */
  secret: string;
  /** The ID of the service with the key `yoga`, of which thousands of guests can book one start. */
  serviceId: string;
  bookers: number;
};

/** How long a client waits before it repeats a request. */
const PAUSE_MS = 20;
const DAY_MS = 86_400_000;

/** Returns the next Monday at 10:00 that can be booked. */
function nextMonday(): string {
  const earliest = new Date(Date.now() + DAY_MS);
  const days = (8 - earliest.getUTCDay()) % 7;
  return `${new Date(earliest.getTime() + days * DAY_MS).toISOString().slice(0, 10)}T10:00:00+00:00`;
}

/**
 * Starts clients that book and repeat what fails, change prices, and follow the feed, until `stop`
 * is called. Each request goes to the server that `current` returns.
 */
export function startClients({ slug, secret, serviceId, bookers }: Shop, current: () => Server) {
  const booked = new Map<string, string>();
  const seen = new Set<number>();
  const faults = { older: 0, expired: 0, skipped: 0, changedReplies: 0, endless: 0 };
  const counts = { refused: 0, edits: 0, price: 12 };
  const startsAt = nextMonday();
  const stopping = new AbortController();
  let version = 0;
  let cursor = "latest";
  let areEditsPaused = false;
  let lastEdit = Promise.resolve();

  /** Sends a request, and returns its response; undefined if the request must be repeated. */
  async function send(method: string, path: string, key?: string) {
    try {
      const response = await fetch(`${current().url}/v1/businesses/${slug}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${secret}`,
          ...(key !== undefined && { "content-type": "application/json", "idempotency-key": key }),
        },
        ...(key !== undefined && { body: JSON.stringify({ startsAt, segments: [{ serviceId }] }) }),
      });
      const body = (await response.json()) as Record<string, unknown>;
      if (response.status !== 503) return { response, body };
      if (!response.headers.has("retry-after")) faults.endless += 1;
      counts.refused += 1;
      return undefined;
    } catch {
      return undefined;
    }
  }

  async function book(name: string): Promise<void> {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const key = `${name}-${number}`;
      let reply: Awaited<ReturnType<typeof send>>;
      while ((reply = await send("POST", "/bookings", key)) === undefined) await delay(PAUSE_MS);
      expect([key, reply.response.status, reply.body]).toEqual([key, 201, expect.anything()]);
      booked.set(key, (reply.body["data"] as { id: string }).id);
      await delay(PAUSE_MS);
    }
  }

  async function changePrice(price: number): Promise<void> {
    const { deskbell } = createTerminal({ dataDir: current().dataDir });
    const change = `services update yoga --price ${price}.00 --business ${slug}`;
    if ((await deskbell(change)).code !== 0) return;
    counts.price = price;
    counts.edits += 1;
  }

  async function edit(): Promise<void> {
    for (let price = 13; !stopping.signal.aborted; price++) {
      if (!areEditsPaused) await (lastEdit = changePrice(price));
      await delay(PAUSE_MS);
    }
  }

  async function read(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { price } = counts;
      const list = await send("GET", "/services");
      if (list !== undefined) {
        const found = Number(list.response.headers.get("catalog-version"));
        const services = list.body["data"] as { id: string; priceCents: number }[];
        const yoga = services.find(({ id }) => id === serviceId);
        if (found < version || (yoga?.priceCents ?? 0) < price * 100) faults.older += 1;
        version = Math.max(version, found);
      }
      const page = await send("GET", `/changes?after=${cursor}`);
      if (page?.response.status === 410) {
        faults.expired += 1;
        cursor = "latest";
      } else if (page !== undefined) {
        const { sequences } = page.body["meta"] as { sequences: number[] };
        for (const sequence of sequences) {
          if (seen.size > 0 && !seen.has(sequence - 1)) faults.skipped += 1;
          seen.add(sequence);
        }
        cursor = (page.body["page"] as { nextCursor: string }).nextCursor;
      }
      await delay(PAUSE_MS);
    }
  }

  const work = [...Array.from({ length: bookers }, (_, i) => book(`booker-${i}`)), edit(), read()];
  return {
    booked,
    faults,
    counts,
    /** Repeats a request that was answered, which must get the same reply. */
    async repeat(): Promise<void> {
      const [last] = [...booked].slice(-1);
      if (last === undefined) return;
      const reply = await send("POST", "/bookings", last[0]);
      if (reply !== undefined && (reply.body["data"] as { id: string }).id !== last[1])
        faults.changedReplies += 1;
    },
    /** Pauses the commands that change prices, and waits for the one that runs. */
    async pauseEdits(): Promise<void> {
      areEditsPaused = true;
      await lastEdit;
    },
    resumeEdits(): void {
      areEditsPaused = false;
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(work);
    },
  };
}

/** Returns the IDs of the bookings of a business, or of all, in a data folder. */
export function listBookings(dataDir: string, slug: string | null = null): string[] {
  const db = new Database(join(dataDir, "deskbell.db"), { readonly: true });
  const ids = db
    .prepare(
      `SELECT booking.id FROM booking JOIN business ON business.id = business_id
       WHERE :slug IS NULL OR slug = :slug`,
    )
    .pluck()
    .all({ slug }) as string[];
  db.close();
  return ids;
}
