/**
 * The pause between the searches of two endpoints, as a multiple of the last search. The searches of
 * 50 partners with a backlog took more than half of the time of the thread when there was no pause.
 */
const PAUSE_FACTOR = 10;
/** The time without a search after which the endpoints that have searched may search again. */
const ROUND_END_MS = 1000;

/**
 * Decides which endpoint may search its backlog. Each endpoint searches at most once in a round, so
 * that no other endpoint waits for ever. Times are monotonic.
 */
export class SearchTurns {
  #round = 0;
  #pauseEndsAt = -Infinity;

  /**
   * Returns the round in which an endpoint may search now; undefined if it must wait.
   * @param lastRound the round of the endpoint's last search; undefined if there was none
   */
  take(lastRound: number | undefined, now: number): number | undefined {
    const hasSearched = lastRound === this.#round;
    if (now < this.#pauseEndsAt + (hasSearched ? ROUND_END_MS : 0)) return undefined;
    if (hasSearched) this.#round += 1;
    return this.#round;
  }

  end(now: number, tookMs: number): void {
    this.#pauseEndsAt = now + PAUSE_FACTOR * tookMs;
  }
}
