import type { LocalDate } from "../catalog/catalog.ts";
import type { ErrorCode, ValidationIssue } from "../errors.ts";

/** What somebody asks, by the author's keys. Dates are the business's and both included. */
export type ResolvedRequest = { from: LocalDate; to: LocalDate } & (
  | ResolvedAppointmentRequest
  | ResolvedTableRequest
);

/** One service, or several of one visit in the order in which they are to be done. */
export type ResolvedAppointmentRequest = { services: ServiceRequest[]; guests: number };

export type ServiceRequest = {
  service: string;
  /** null: the default variant if there is one, else the service itself. */
  variant: string | null;
  addons: { addon: string; quantity: number }[];
  /** null: anybody. */
  staff: string | null;
};

export type ResolvedTableRequest = { partySize: number; area: string | null };

/** What somebody asks in their own words: by ids, or at the terminal by keys. */
export type NamedRequest = NamedAppointmentRequest | NamedTableRequest;

export type NamedAppointmentRequest = {
  /** In the order in which they are to be done; may be left out where variants say it. */
  serviceIds: readonly string[];
  variantIds: readonly string[];
  /** `wash`, `wash*2`, or `cut:wash` where several of the services are offered with it. */
  addonIds: readonly string[];
  /** `mia` for the whole visit, `cut:mia` for one service, `any`. */
  staffIds: readonly string[];
  guests: number;
};

export type NamedTableRequest = { partySize: number; areaId: string | null };

/** A booked segment or a reservation: what somebody or something is taken by. Cancelled ones are none. */
export type BusyInterval = {
  staffKey: string | null;
  serviceKey: string | null;
  tableKey: string | null;
  startMin: number;
  endMin: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  /** Guests in it. */
  seats: number;
  resources: { resource: string; units: number }[];
};

/** What is wrong with a question, and in which part of it. */
export type RequestIssue = ValidationIssue & {
  code: ErrorCode;
  parameter: keyof NamedAppointmentRequest | keyof NamedTableRequest;
};

/** Notes a problem, and goes on looking. */
export type AddIssue = (
  code: ErrorCode,
  detail: string,
  parameter: RequestIssue["parameter"],
) => void;
