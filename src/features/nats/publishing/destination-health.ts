import type { Runtime } from "../../../app/runtime.ts";
import { publishDelayMs } from "../rules.ts";

/** Counts the failures in a row that concern all businesses of a destination. */
export class DestinationHealth {
  readonly #rt: Runtime;
  readonly #name: string;
  #failures = 0;
  /** When the next attempt may begin, on the monotonic clock. */
  #retryAt = 0;
  lastError: string | null = null;

  constructor(rt: Runtime, name: string) {
    this.#rt = rt;
    this.#name = name;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** @param now on the monotonic clock */
  mayTry(now: number): boolean {
    return now >= this.#retryAt;
  }

  recover(): void {
    this.#failures = 0;
    this.lastError = null;
  }

  fail(reason: string): void {
    const rt = this.#rt;
    // Publishes in flight fail together. They count as one failure, because `mayTry` returns false
    // after the first.
    if (this.mayTry(rt.monotonic())) {
      this.#failures += 1;
      this.#retryAt = rt.monotonic() + publishDelayMs(this.#failures);
    }
    if (reason !== this.lastError)
      rt.log("warn", "A destination accepts no events; they are kept and tried again.", {
        destination: this.#name,
        reason,
      });
    this.lastError = reason;
  }
}
