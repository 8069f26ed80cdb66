import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { isoSeconds } from "../../domain/text.ts";
import type { DaemonRow } from "../../store/daemon-rows.ts";
import type { Runtime } from "../runtime.ts";

/** Two processes that read the same clock never get times that differ by this much. */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Reports a clock that is behind the newest record.
 * @param now the time of this process
 * @param newestAt the time of the newest record
 */
export function checkClock(now: number, newestAt: number): HealthCondition[] {
  if (newestAt <= now + CLOCK_TOLERANCE_MS) return [];
  return [
    openCondition(
      "clock.wrong",
      `the system clock says ${isoSeconds(now)}, but the newest record is from ${isoSeconds(newestAt)}`,
      "sudo timedatectl set-ntp true",
    ),
  ];
}

/**
 * Returns by how many milliseconds the clock of this process is ahead of the daemon's. The result
 * is 0 if the difference is small, if the daemon runs on another machine, and if the daemon's clock
 * is not known. The offset of a clock is its time minus the time of the monotonic clock. All
 * processes of a machine share the monotonic clock, which `source` names.
 */
export function clockAheadMs({ machineClock }: Runtime, daemon: DaemonRow | undefined): number {
  if (daemon?.clockSource !== machineClock.source()) return 0;
  // The daemon saves the source and the offset together, so `?? 0` only satisfies the type.
  const aheadMs = Math.round(machineClock.offset() - (daemon.clockOffsetMs ?? 0));
  return Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS ? 0 : aheadMs;
}

/**
 * Reports that this process and the daemon have different times.
 * @param now the time of this process
 * @param aheadMs how far this clock is ahead of the daemon's
 */
export const checkDaemonClock = (now: number, aheadMs: number): HealthCondition[] =>
  aheadMs === 0
    ? []
    : [
        openCondition(
          "clock.differs",
          `the clock of this command says ${isoSeconds(now)}, the daemon's ${isoSeconds(now - aheadMs)}, which is used here: one of them is faked, such as by faketime`,
          "env -u LD_PRELOAD date -u; then start the program whose clock differs, the command or the daemon, without faketime",
        ),
      ];
