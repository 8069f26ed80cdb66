import Database from "better-sqlite3";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import type { Envelope } from "../../src/domain/events/envelope.ts";
import { AppError, type ValidationIssue } from "../../src/domain/errors.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { CATALOG_HEADER } from "./catalog-file.ts";

/** Applies a catalog file that consists of `CATALOG_HEADER` and this body. */
export const applyCatalogBody = (rt: Runtime, body: string, options = {}) =>
  applyCatalog(rt, [{ name: "catalog.yaml", text: CATALOG_HEADER + body }], options);

/** Returns the events that `work` caused, in order. */
export function recordEvents(rt: Runtime, work: () => unknown): Envelope[] {
  const db = new Database(rt.config.databasePath, { readonly: true });
  try {
    const last = db.prepare("SELECT coalesce(max(sequence), 0) FROM event").pluck().get();
    work();
    const bodies = db
      .prepare("SELECT body FROM event WHERE sequence > ? ORDER BY sequence")
      .pluck()
      .all(last);
    return (bodies as Buffer[]).map((body) => JSON.parse(body.toString()) as Envelope);
  } finally {
    db.close();
  }
}

export const eventTypesOf = (events: readonly Envelope[]): string[] =>
  events.map(({ type }) => type);

/** Returns the `code: message` of the thrown AppError, or `no error: ` and the result. */
export function captureError(work: () => unknown): string {
  try {
    return `no error: ${JSON.stringify(work())}`;
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** Returns the issues of the thrown AppError; none if nothing is thrown. */
export function captureIssues(work: () => unknown): ValidationIssue[] {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof AppError) return error.issues;
    throw error;
  }
}
