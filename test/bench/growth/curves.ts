import type { Dimension } from "./data.ts";
import type { Operation } from "./operations.ts";

/** The CPU time of an operation against one dimension, by ascending size. */
export type Curve = { operation: Operation; dimension: Dimension; points: Point[] };
export type Point = { size: number; cpuMs: number };

/** The largest cost of a flat curve is at most this many times the smallest one. */
const FLAT_FACTOR = 2;
const LINEAR_SLOPE = 1.15;

const DOCTOR = "reads the whole file to find damage";

const START = "checks the whole file for damage, unless it is larger than 250 MB";

const BACKUP = "copies the whole file, and looks up each row in each index to verify it";

/** Why a cost grows. A curve that grows without a reason here needs an explanation or a fix. */
const REASONS: Partial<Record<`${Operation} by ${Dimension}`, string>> = {
  "cached GET by objects": "ten objects have a smaller response",
  "cold GET by objects": "builds the list from the catalog, once per change of it",
  "GET after an edit by objects": "fills a page of 50, for which ten objects have too few services",
  "availability by objects": "reads the durations and buffers of all services of the business",
  "booking by objects": "reads the keys, durations and buffers of all services of the business",
  "diff by objects": "reads the whole file and compares the whole catalog",
  "apply by objects": "reads the whole file and compares the whole catalog",
  "one edit by endpoints": "writes a delivery for each subscribed endpoint, at most 50",
  "apply by endpoints": "writes a delivery for each subscribed endpoint, at most 50",
  "diff by endpoints": "plans a delivery for each subscribed endpoint, at most 50",
  "start by objects": START,
  "start by bookings": START,
  "start by events": START,
  "status by events": "counts the failures of the last hour among at most 1,000 attempts",
  "status by endpoints": "checks the health and decrypts the signing secret of each endpoint",
  "backup by businesses": BACKUP,
  "backup by objects": BACKUP,
  "backup by bookings": BACKUP,
  "backup by events": BACKUP,
  "backup by endpoints": BACKUP,
  "sold-out by endpoints": "writes a delivery for each subscribed endpoint, at most 50",
  "undo by endpoints": "writes a delivery for each subscribed endpoint, at most 50",
  "doctor by businesses": DOCTOR,
  "doctor by objects": DOCTOR,
  "doctor by bookings": DOCTOR,
  "doctor by events": DOCTOR,
  "doctor by endpoints": "checks the health and decrypts the signing secret of each endpoint",
};

/**
 * Returns the exponent with which the cost grows between the two largest sizes: 0 is flat, 1 is
 * linear.
 */
export function slopeOf(points: readonly Point[]): number {
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) return Number.NaN;
  return Math.log10(last.cpuMs / before.cpuMs) / Math.log10(last.size / before.size);
}

/** Returns `flat`, or how the cost grows and why. */
export function describeGrowth({ operation, dimension, points }: Curve): string {
  const costs = points.map(({ cpuMs }) => cpuMs);
  const slope = slopeOf(points);
  if ((costs.at(-1) ?? 0) <= FLAT_FACTOR * Math.min(...costs)) return "flat";
  const shape = slope <= LINEAR_SLOPE ? "at most linear" : "steeper than linear";
  return `${shape}: ${REASONS[`${operation} by ${dimension}`] ?? "reason unknown"}`;
}
