import type { OpeningHours, Span, WorkingHours, Zone } from "./documented-hours.ts";

export type Length = { durationMin: number; priceCents: number };
export type Rules = { slotIntervalMin: number; minNoticeMin: number; maxAdvanceDays: number };
export type Person = WorkingHours & {
  id: string;
  isPublic: boolean;
  canBeBooked: boolean;
  overrides: Record<string, { durationMin: number | null; priceCents: number | null }>;
};
export type Service = Length & {
  id: string;
  capacity: number;
  staff: string[];
  variants: (Length & { id: string; isDefault: boolean; staff: string[] | null })[];
  addons: (Length & { id: string; required: boolean; min: number; max: number; usual: number })[];
  rules: Rules;
  before: number;
  after: number;
  resources: { key: string; units: number }[];
};
export type Table = { id: string; area: string | null; min: number; max: number };
/** A service of a booking or hold that occupies its time. */
export type Occupied = Span & {
  visit: string;
  service: string;
  staff: string | null;
  guests: number;
};
export type Business = {
  zone: Zone;
  opening: OpeningHours;
  policy: Rules & { grid: "clock" | "opening"; bufferPolicy: "max" | "sum"; maxGapMin: number };
  services: Map<string, Service>;
  people: Map<string, Person>;
  resources: Map<string, number>;
  tables: Table[];
  turnTimes: { upTo: number; min: number }[];
  occupied: Occupied[];
  seated: (Span & { visit: string; table: string })[];
};

/** A service that a visit asks for. `staff` is null if anyone may perform it. */
export type Wish = {
  service: string;
  variant: string | null;
  addons: { addonId: string; quantity: number }[];
  staff: string | null;
};

/** The rules in the order of the reference: the first one that excludes a start is its reason. */
export const REASONS =
  "TOO_FAR TOO_SOON NOBODY_ABLE CLOSURE OUTSIDE_HOURS BREAK TIME_OFF OFF_GRID SEATS_TAKEN TAKEN BUFFER RESOURCE_TAKEN".split(
    " ",
  );
export const laterReason = (a: string, b: string): string =>
  REASONS.indexOf(a) >= REASONS.indexOf(b) ? a : b;
