import type { LocalDate } from "../catalog.ts";
import type { ErrorCode } from "../errors.ts";

/** What somebody asks, by the author's keys. Dates are the business's and both included. */
export type Question = { from: LocalDate; to: LocalDate } & (AppointmentQuestion | TableQuestion);

/** One service, or several of one visit in the order in which they are to be done. */
export type AppointmentQuestion = { services: ServiceRequest[]; guests: number };

export type ServiceRequest = {
  service: string;
  /** null: the default variant if there is one, else the service itself. */
  variant: string | null;
  addons: { addon: string; quantity: number }[];
  /** null: anybody. */
  staff: string | null;
};

export type TableQuestion = { partySize: number; area: string | null };

/** A booked segment or a reservation: what somebody or something is taken by. Cancelled ones are none. */
export type BusyRow = {
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

/** Notes what is wrong with a question, and goes on looking. */
export type Report = (code: ErrorCode, detail: string) => void;
