import type { DueRow } from "../store/webhooks/due.ts";
import type { SearchTurns } from "./search-turns.ts";

/** The least number of due rows that are read at once. */
const READ_AHEAD = 32;
/**
 * The least number of due rows that are read at once for the endpoint of a partner. Such an
 * endpoint gets one delivery of each business at a time. After a large change of one business, many
 * rows of this business come before the first rows of other businesses.
 */
const READ_AHEAD_OF_PARTNER = 2000;
/**
 * The number of rows that are read for each claimed delivery. More rows are read if deliveries are
 * claimed, because claimed rows are skipped.
 */
const READ_AHEAD_PER_CLAIMED = 4;
/**
 * The pause between two searches of an endpoint's backlog for the deliveries of other businesses.
 * The pause lasts SEARCH_PAUSE_MS, or SEARCH_PAUSE_FACTOR times as long as the last search if that
 * is longer.
 */
const SEARCH_PAUSE_MS = 1000;
const SEARCH_PAUSE_FACTOR = 50;

/** Where the due rows of an endpoint come from. */
export type DueSource = {
  /** Returns the first due rows, also those that are claimed. */
  read: (limit: number) => DueRow[];
  /** Returns the first due rows of other businesses, also those that are claimed. */
  readExcept: (businessIds: readonly string[], limit: number) => DueRow[];
  /** Returns those of these deliveries that are due, also those that are claimed. */
  readAmong: (deliveryNumbers: readonly number[]) => DueRow[];
  isClaimed: (deliveryNumber: number) => boolean;
  monotonic: () => number;
  turns: SearchTurns;
};

/** The state of an endpoint that decides which of its due rows may be sent now. */
type QueueState = {
  isOfPartner: boolean;
  claimedCount: number;
  /** Businesses whose next delivery waits. */
  businessesInFlight: ReadonlySet<string>;
  hasRedeliveryInFlight: boolean;
};

/** The due rows of an endpoint that were read, and are not claimed yet. */
export class DueRows {
  #rows: DueRow[] = [];
  /** Whether the last read returned every due row; `expectMore` sets it to false again. */
  #hasReadAll = false;
  /** When the backlog may be searched again (monotonic). */
  #nextSearchAt = 0;
  #searchRound: number | undefined;
  /**
   * The numbers of deliveries that a search has found and that may still wait. They are read again
   * with the first due rows. Otherwise, a busy server would forget them after each commit.
   */
  #found: readonly number[] = [];

  /** Makes `list` read all rows again, because they may have changed. */
  clear(): void {
    this.#rows = [];
    this.#hasReadAll = false;
  }

  /** Makes `list` read again, because deliveries may have become due. */
  expectMore(): void {
    this.#hasReadAll = false;
  }

  remove(row: DueRow): void {
    this.#rows.splice(this.#rows.indexOf(row), 1);
  }

  /** Returns the due rows that may be sent now. */
  list(source: DueSource, state: QueueState): DueRow[] {
    if (this.#rows.length === 0 && !this.#hasReadAll) this.#read(source, state);
    const free = this.#listFree(state);
    const waitsForBusinesses = free.length === 0 && state.businessesInFlight.size > 0;
    if (!waitsForBusinesses || this.#hasReadAll) return free;
    if (source.monotonic() < this.#nextSearchAt) return free;
    const round = source.turns.take(this.#searchRound, source.monotonic());
    if (round === undefined) return free;
    this.#searchRound = round;
    this.#addOthers(source, state);
    return this.#listFree(state);
  }

  #read(
    { read, readAmong, isClaimed }: DueSource,
    { isOfPartner, claimedCount }: QueueState,
  ): void {
    const least = isOfPartner ? READ_AHEAD_OF_PARTNER : READ_AHEAD;
    const limit = claimedCount + Math.max(least, READ_AHEAD_PER_CLAIMED * claimedCount);
    const rows = read(limit);
    this.#hasReadAll = rows.length < limit;
    const mayWait = this.#found.length > 0 && !this.#hasReadAll;
    const found = mayWait ? withoutBusinessesOf(rows, readAmong(this.#found)) : [];
    this.#found = found.map(({ number }) => number);
    this.#rows = [...rows, ...found].filter(({ number }) => !isClaimed(number));
  }

  /**
   * Adds the due rows of businesses that have no delivery in flight and no row among those read so
   * far. The rows of such a business are read from its first due row on, so that its events stay in
   * order.
   */
  #addOthers(
    { readExcept, isClaimed, monotonic, turns }: DueSource,
    { businessesInFlight, claimedCount }: QueueState,
  ): void {
    const startedAt = monotonic();
    const known = new Set(businessesInFlight);
    for (const { businessId } of this.#rows) known.add(businessId);
    const rows = readExcept([...known], READ_AHEAD_OF_PARTNER + claimedCount);
    const found = rows.filter(({ number }) => !isClaimed(number));
    this.#rows.push(...found);
    const waiting = new Set(this.#rows.map(({ number }) => number));
    this.#found = [...this.#found.filter((number) => waiting.has(number)), ...firstNumbers(found)];
    const now = monotonic();
    const tookMs = now - startedAt;
    this.#nextSearchAt = now + Math.max(SEARCH_PAUSE_MS, SEARCH_PAUSE_FACTOR * tookMs);
    turns.end(now, tookMs);
  }

  /** Returns the rows that no delivery in flight keeps waiting. */
  #listFree({ businessesInFlight, hasRedeliveryInFlight }: QueueState): DueRow[] {
    if (!hasRedeliveryInFlight && businessesInFlight.size === 0) return this.#rows;
    return this.#rows.filter(
      ({ isRedelivery, businessId }) =>
        (isRedelivery === 0 || !hasRedeliveryInFlight) && !businessesInFlight.has(businessId),
    );
  }
}

/** Returns the rows of businesses that have none among `first`, whose rows come before these. */
function withoutBusinessesOf(first: readonly DueRow[], rows: readonly DueRow[]): DueRow[] {
  const known = new Set(first.map(({ businessId }) => businessId));
  return rows.filter(({ businessId }) => !known.has(businessId));
}

/**
 * Returns the numbers of the first rows of each business, without redeliveries, which a new event of
 * the business must not wait for.
 */
const firstNumbers = (rows: readonly DueRow[]): number[] =>
  [...Map.groupBy(rows, ({ businessId }) => businessId).values()].flatMap((own) =>
    own
      .filter(({ isRedelivery }) => isRedelivery === 0)
      .slice(0, READ_AHEAD)
      .map(({ number }) => number),
  );
