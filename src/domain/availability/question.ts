import type { LocalDate } from "../catalog/catalog.ts";
import type { ErrorCode, ErrorItem } from "../errors.ts";

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

/** What somebody asks in their own words: by ids, or at the terminal by keys. */
export type Wish = VisitWish | TableWish;

export type VisitWish = {
  /** In the order in which they are to be done; may be left out where variants say it. */
  serviceIds: readonly string[];
  variantIds: readonly string[];
  /** `wash`, `wash*2`, or `cut:wash` where several of the services are offered with it. */
  addonIds: readonly string[];
  /** `mia` for the whole visit, `cut:mia` for one service, `any`. */
  staffIds: readonly string[];
  guests: number;
};

export type TableWish = { partySize: number; areaId: string | null };

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

/** What is wrong with a question, and in which part of it. */
export type Problem = ErrorItem & { code: ErrorCode; parameter: keyof VisitWish | keyof TableWish };

/** Notes a problem, and goes on looking. */
export type Report = (code: ErrorCode, detail: string, parameter: Problem["parameter"]) => void;
