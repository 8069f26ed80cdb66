import { byteSize } from "../domain/text.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "./runtime.ts";

/** Reserved for delivery outcomes and for cleaning up: even a DELETE needs space to write. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** @throws AppError storage_full if the disk has less free space than the reserve */
export function assertDiskSpace(rt: Runtime): void {
  const free = rt.freeBytes();
  if (free >= RESERVE_BYTES) return;
  const left = `Only ${byteSize(free)} free on the disk of ${rt.config.dataDir}`;
  throw new AppError("storage_full", `${left}: no new data is accepted.`, {
    fix: "free some space; pending deliveries are still sent, and writes resume automatically",
  });
}
