import type { LocalDate } from "../catalog/common.ts";
import type { ErrorCode, ValidationIssue } from "../errors.ts";

/** A request by catalog keys. Dates are in the business's time zone, both included. */
export type ResolvedRequest = { from: LocalDate; to: LocalDate } & (
  | ResolvedAppointmentRequest
  | ResolvedTableRequest
);

/** One service, or several for one visit in the order they are performed. */
export type ResolvedAppointmentRequest = { services: ServiceRequest[]; guests: number };

export type ServiceRequest = {
  service: string;
  /** null: the default variant if there is one, else the service without a variant. */
  variant: string | null;
  addons: { addon: string; quantity: number }[];
  /** null: any staff member. */
  staff: string | null;
  /** The index of the segment in a request by segments. */
  segment?: number;
};

export type ResolvedTableRequest = { partySize: number; area: string | null };

/** A request that names objects by ID, or by key on the command line. */
export type NamedRequest = NamedAppointmentRequest | NamedVisitRequest | NamedTableRequest;

export type NamedAppointmentRequest = {
  /** The services in the order they are performed; may be empty if `variantIds` imply them. */
  serviceIds: readonly string[];
  variantIds: readonly string[];
  /** `wash`, `wash*2`, or `cut:wash` if several of the services offer it. */
  addonIds: readonly string[];
  /** `mia` for the whole visit, `cut:mia` for one service, or `any`. */
  staffIds: readonly string[];
  guests: number;
};

/** A visit by its segments, as availability lists them. */
export type NamedVisitRequest = { segments: readonly NamedSegment[]; guests: number };

export type NamedSegment = {
  serviceId: string;
  /** null: the default variant if there is one. */
  variantId: string | null;
  addons: readonly { addonId: string; quantity: number }[];
  /** null: any staff member. */
  staffId: string | null;
};

export type NamedTableRequest = { partySize: number; areaId: string | null };

/** A booked segment or a reservation, unless cancelled. Times are epoch minutes. */
export type BusyInterval = {
  staffKey: string | null;
  serviceKey: string | null;
  tableKey: string | null;
  startMin: number;
  endMin: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  seats: number;
  resources: { resource: string; units: number }[];
};

export type RequestIssue = ValidationIssue & {
  code: ErrorCode;
  parameter: keyof NamedAppointmentRequest | keyof NamedTableRequest;
};

export type AddIssue = (
  code: ErrorCode,
  detail: string,
  parameter: RequestIssue["parameter"],
  /** The JSON pointer to the segment of the issue, in a request by segments. */
  pointer?: string,
) => void;

export const addIssueTo =
  (issues: RequestIssue[]): AddIssue =>
  (code, detail, parameter, pointer) =>
    void issues.push({ code, detail, parameter, ...(pointer !== undefined && { pointer }) });

/** The member of a segment that means the same as a parameter of a query. */
const SEGMENT_MEMBERS: { [parameter in RequestIssue["parameter"]]?: keyof NamedSegment } = {
  serviceIds: "serviceId",
  variantIds: "variantId",
  addonIds: "addons",
  staffIds: "staffId",
};

/** Makes issues point to the member of a segment. @param index undefined: of a query */
export function pointingTo(addIssue: AddIssue, index: number | undefined): AddIssue {
  if (index === undefined) return addIssue;
  return (code, detail, parameter) => {
    const member = SEGMENT_MEMBERS[parameter];
    addIssue(code, detail, parameter, member && `#/segments/${index}/${member}`);
  };
}
