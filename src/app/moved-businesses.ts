import { copyFileSync, existsSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../config.ts";
import { appendDurably, syncFolder } from "../durable-file.ts";
import type { BusinessRow } from "../store/businesses.ts";
import { deleteBusiness } from "./businesses.ts";
import type { Runtime } from "./runtime.ts";

// Businesses that have moved to another server are in a file next to the master key, which restoring
// a backup does not replace: on two servers, their times would be booked twice. A folder of copies
// has a copy of it, for a restore on another machine.

const NAME = "moved-businesses.txt";

/** A slug, and when the business left (ISO 8601). */
const LINE = /^([a-z0-9][a-z0-9-]*) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

const pathOf = ({ masterKeyPath }: Config): string => join(dirname(masterKeyPath), NAME);

/** Deletes a business that another server has from now on. */
export function deleteMovedBusiness(
  rt: Runtime,
  business: BusinessRow,
): ReturnType<typeof deleteBusiness> {
  if (!rt.isDryRun()) addLines(rt.config, [`${business.slug} ${new Date(rt.now()).toISOString()}`]);
  return deleteBusiness(rt, business);
}

/**
 * Deletes moved businesses that a restore has brought back. A business of the same slug that was
 * created later is another one.
 */
export function deleteReturnedBusinesses(rt: Runtime): void {
  for (const line of readLines(pathOf(rt.config))) {
    const [, slug = "", movedAt = ""] = LINE.exec(line) ?? [];
    const business = rt.store.businesses.findBySlug(slug);
    if (business === undefined || business.createdAt > Date.parse(movedAt)) continue;
    deleteBusiness(rt, business);
    rt.log("warn", "Deleted a business that a restore had brought back: it has moved.", {
      business: slug,
      movedAt,
    });
  }
}

/** Makes this server's list and that of a folder of copies the same. */
export function shareMovedBusinesses(config: Config, folder: string): void {
  const [own, copied] = [pathOf(config), join(folder, NAME)];
  const known = new Set(readLines(own));
  const others = readLines(copied).filter((line) => !known.has(line));
  if (others.length > 0) addLines(config, others);
  if (!existsSync(own) || known.size + others.length === readLines(copied).length) return;
  copyFileSync(own, `${copied}.draft`);
  renameSync(`${copied}.draft`, copied);
}

function addLines(config: Config, lines: readonly string[]): void {
  const path = pathOf(config);
  const isNew = !existsSync(path);
  // Each begins a new line, because a power cut may have cut off the last one.
  appendDurably(path, lines.map((line) => `\n${line}`).join(""));
  if (isNew) syncFolder(dirname(path));
}

function readLines(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return [...new Set(lines.filter((line) => LINE.test(line)))];
}
