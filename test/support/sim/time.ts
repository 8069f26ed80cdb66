import { vi } from "vitest";

export type Time = ReturnType<typeof startVirtualTime>;

type Timer = { at: number; run: () => void };

const realImmediate = globalThis.setImmediate;

/** Time that passes when the simulation says so. Whatever is timed runs in the same order each time. */
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
  // For those who verify signatures, and ask nobody what time it is.
  const clock = vi.spyOn(Date, "now").mockImplementation(wall);

  return {
    wall,
    elapsed: () => elapsedMs,
    nextTimerAt: () => timers[0]?.at ?? Infinity,
    setWall: (byMs: number): void => void (wallAtStart += byMs),

    /** Until nothing goes on but what waits for time to pass. */
    async settle(): Promise<void> {
      for (;;) {
        await new Promise<void>((resolve) => realImmediate(resolve));
        if (immediates.length === 0) return;
        const due = immediates;
        immediates = [];
        for (const run of due) run();
      }
    },
    /** To an instant that no timer comes before, and runs those of that instant. */
    async passTo(at: number): Promise<void> {
      elapsedMs = Math.max(elapsedMs, at);
      while (timers[0] !== undefined && timers[0].at <= elapsedMs) {
        timers.shift()?.run();
        await this.settle();
      }
    },
    /** Whoever waited for something is no more. */
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
