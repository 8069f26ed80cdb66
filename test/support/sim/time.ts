import { vi } from "vitest";

export type VirtualTime = ReturnType<typeof startVirtualTime>;

type Timer = { at: number; run: () => void };

const realImmediate = globalThis.setImmediate;

/** Replaces clocks and timers by virtual ones, which the simulation advances deterministically. */
export function startVirtualTime(wallStartsAt: number) {
  let elapsedMs = 0;
  let wallAtStart = wallStartsAt;
  let timers: Timer[] = [];
  let immediates: (() => void)[] = [];

  function setTimeout(run: () => void, ms = 0): Timer {
    const timer = { at: elapsedMs + Math.max(0, ms), run };
    const later = timers.findIndex(({ at }) => at > timer.at);
    timers.splice(later === -1 ? timers.length : later, 0, timer);
    return timer;
  }
  vi.stubGlobal("setTimeout", setTimeout);
  vi.stubGlobal("clearTimeout", (timer: Timer | undefined) => {
    timers = timers.filter((other) => other !== timer);
  });
  vi.stubGlobal("setImmediate", (run: () => void) => void immediates.push(run));
  const wall = () => wallAtStart + elapsedMs;
  // The signature verifiers of the test read Date.now directly.
  const clock = vi.spyOn(Date, "now").mockImplementation(wall);

  return {
    wall,
    elapsed: () => elapsedMs,
    nextTimerAt: () => timers[0]?.at ?? Infinity,
    shiftWall: (byMs: number): void => void (wallAtStart += byMs),

    /** Runs all callbacks until only timers are left. */
    async settle(): Promise<void> {
      for (;;) {
        await new Promise<void>((resolve) => realImmediate(resolve));
        if (immediates.length === 0) return;
        const due = immediates;
        immediates = [];
        for (const run of due) run();
      }
    },
    /**
     * Advances the clock to `at`, and runs the timers that are due then. No timer may be due
     * earlier.
     */
    async advanceTo(at: number): Promise<void> {
      elapsedMs = Math.max(elapsedMs, at);
      while (timers[0] !== undefined && timers[0].at <= elapsedMs) {
        timers.shift()?.run();
        await this.settle();
      }
    },
    /** Drops all timers, as a crash does. */
    forget(): void {
      timers = [];
      immediates = [];
    },
    end(): void {
      vi.unstubAllGlobals();
      clock.mockRestore();
    },
  };
}
