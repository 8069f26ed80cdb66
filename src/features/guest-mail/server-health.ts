import type { Runtime } from "../../app/runtime.ts";
import { pauseAfter, REPORTED_FAILURES } from "./rules.ts";
import { createGuestMailStore } from "./store.ts";

/** Records whether the mail server takes mails, and pauses the mails while it does not. */
export class ServerHealth {
  readonly #rt: Runtime;
  /** The end of the pause, in ms of the monotonic clock. */
  #pausedUntil = -Infinity;
  /** Failures in a row, which are also stored for the operator. */
  #failures: number;

  constructor(rt: Runtime) {
    this.#rt = rt;
    this.#failures = this.#store.findState()?.failures ?? 0;
  }

  get #store() {
    return this.#rt.openStore(createGuestMailStore);
  }

  /** Whether no mail is sent for a while, because the server takes none. */
  get isPaused(): boolean {
    return this.#rt.monotonic() < this.#pausedUntil;
  }

  recordFailure(error: string): void {
    const rt = this.#rt;
    this.#failures += 1;
    this.#pausedUntil = rt.monotonic() + pauseAfter(this.#failures);
    if (this.#failures === REPORTED_FAILURES)
      rt.log("error", "Mail to guests cannot be sent; it is tried again.", { reason: error });
    rt.tx(() => this.#store.saveFailure(error, rt.now()));
  }

  recordAnswer(): void {
    if (this.#failures === 0) return;
    if (this.#failures >= REPORTED_FAILURES) this.#rt.log("info", "Mail to guests is sent again.");
    this.#failures = 0;
    this.#rt.tx(() => this.#store.clearFailure());
  }
}
