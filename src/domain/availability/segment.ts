import type { ServiceDoc, StaffDoc, TableDoc, VariantDoc } from "../catalog/catalog.ts";

/** One thing to be done in a visit. Each of its options is a way to do it, the preferred first. */
export type Segment = {
  service: ServiceDoc | null;
  variant: VariantDoc | null;
  addons: { addon: string; quantity: number }[];
  /** How many of its places are wanted. */
  seats: number;
  capacity: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  resources: ServiceDoc["resources"];
  /** With whoever is asked for, or as it is sold before somebody is chosen. */
  durationMin: number;
  priceCents: number;
  candidates: Candidate[];
};

/** By a person, at a table, or with neither where nobody is needed. */
export type Candidate = {
  staff: StaffDoc | null;
  table: TableDoc | null;
  durationMin: number;
  priceCents: number;
};
