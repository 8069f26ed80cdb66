import { byteSize } from "../domain/byte-size.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "./runtime.ts";

/** What is left below this belongs to outcomes and to clearing up: both need room to write, a DELETE too. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** @throws AppError storage_full while the disk has room for nothing but what is on its way already */
export function assertDiskSpace(rt: Runtime): void {
  const free = rt.freeBytes();
  if (free >= RESERVE_BYTES) return;
  const left = `The disk of ${rt.config.dataDir} has ${byteSize(free)} left`;
  throw new AppError("storage_full", `${left}: nothing new is taken in.`, {
    fix: "free some space; deliveries go on meanwhile, and it resumes by itself",
  });
}
