import { AppError } from "../domain/errors.ts";
import { byteSize } from "../domain/text.ts";
import type { Runtime } from "./runtime.ts";

/** The disk space reserved for delivery outcomes and cleaning up: even a DELETE needs space. */
export const RESERVE_BYTES = 64 * 1024 * 1024;

export function assertDiskSpace(rt: Runtime): void {
  const free = rt.freeBytes();
  if (free >= RESERVE_BYTES) return;
  throw new AppError("storage_full", `${describeFreeSpace(rt, free)}: no new data is accepted.`, {
    fix: "free some space; pending deliveries are still sent, and writes resume automatically",
  });
}

export const describeFreeSpace = ({ config }: Runtime, free: number): string =>
  `Only ${byteSize(free)} free on the disk of ${config.dataDir}`;
