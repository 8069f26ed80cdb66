import type { ServiceDoc, StaffDoc, TableDoc, VariantDoc } from "../catalog/catalog.ts";

/** One service or table of a visit. Its candidates are in order of preference. */
export type Segment = {
  service: ServiceDoc | null;
  variant: VariantDoc | null;
  addons: { addon: string; quantity: number }[];
  /** Guests of this request. */
  seats: number;
  /** Most guests at the same time. */
  capacity: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  resources: ServiceDoc["resources"];
  /** With the requested staff member; without one, of the service or variant. */
  durationMin: number;
  priceCents: number;
  candidates: Candidate[];
};

/** A staff member or a table; neither for a service that needs no staff. */
export type Candidate = {
  staff: StaffDoc | null;
  table: TableDoc | null;
  durationMin: number;
  priceCents: number;
};
