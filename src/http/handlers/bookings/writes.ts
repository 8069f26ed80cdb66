import { hashVisitor } from "../../../app/bookings/booking-limits.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { AppError, type ValidationIssue } from "../../../domain/errors.ts";
import {
  getHeader,
  type RequestContext,
  type HttpResponse,
} from "../../pipeline/request-context.ts";
import type { Reply } from "../../../app/idempotent-replies.ts";
import { accessOf, type VisitAccess } from "../../../app/bookings/access.ts";
import { lazy } from "../../../domain/lazy.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Credential } from "../../../store/keys.ts";
import { businessUrl, getBusinessOfKey, PRIVATE } from "../../pipeline/business-response.ts";
import { commitReply } from "../../pipeline/idempotency.ts";
import { toDataReply } from "../../pipeline/object-handlers.ts";
import { flag, parametersError, parseParameters } from "../../pipeline/parameters.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";

export const VISITOR_ID = /^[\x21-\x7e]{1,64}$/;

/** Returns the hash of the visitor that Visitor-Id names; null without this header. */
export function readVisitor(
  rt: Runtime,
  { request }: RequestContext,
  keyId: string,
): Buffer | null {
  const value = getHeader(request, "visitor-id");
  if (value === undefined) return null;
  if (VISITOR_ID.test(value)) return hashVisitor(rt, keyId, value);
  const detail = "Invalid Visitor-Id: expected 1 to 64 printable ASCII characters without spaces.";
  throw parametersError([{ parameter: "Visitor-Id", code: "invalid_value", detail }]);
}

export const writeParameters = lazy(() => ({
  dryRun: flag().describe(
    "Check the request and respond as usual, but write nothing; the IDs of the response do not exist",
  ),
}));

type Deps = Pick<HandlerDeps, "rt">;

/** Runs a write by a key in a transaction, which a dry run rolls back. */
export function commitAs(
  { rt }: Deps,
  context: RequestContext,
  key: Credential,
  write: (business: BusinessRow, access: VisitAccess, isDryRun: boolean) => Reply,
): Promise<HttpResponse> {
  const { dryRun = false } = parseParameters(writeParameters(), context.request.search);
  return commitReply(
    rt,
    context,
    () => withBodyPointers(() => write(getBusinessOfKey(rt, key), accessOf(key), dryRun)),
    dryRun,
  );
}

/** Runs `commitAs` for a request that creates an object for the visitor in Visitor-Id. */
export function createAs(
  deps: Deps,
  context: RequestContext,
  key: Credential,
  write: Parameters<typeof commitAs>[3],
): Promise<HttpResponse> {
  const visitor = readVisitor(deps.rt, context, key.id);
  return commitAs(deps, context, key, (business, access, isDryRun) =>
    write(business, { ...access, visitor }, isDryRun),
  );
}

/** Returns the reply to a request that creates an object. The object of a dry run has no URL. */
export function toCreatedReply(
  { rt }: Deps,
  key: Credential,
  path: string,
  object: { id: string },
  isDryRun: boolean,
): Reply {
  if (isDryRun) return toDataReply(object);
  const location = businessUrl(rt, key.businessSlug, `${path}/${object.id}`);
  return toDataReply(object, 201, ["location", location, ...PRIVATE]);
}

/** Makes the issues of a write point to fields of the body instead of parameters. */
function withBodyPointers<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof AppError) || error.issues.length === 0) throw error;
    const { code, message, fix, extensions } = error;
    const issues = error.issues.map(({ parameter, ...issue }) => ({
      ...issue,
      ...(parameter !== undefined && { pointer: issue.pointer ?? `#/${parameter}` }),
    }));
    throw new AppError(code, message, { ...(fix !== undefined && { fix }), issues, extensions });
  }
}

/**
 * Runs a change in which a field that the body omits keeps its present value. If this value causes
 * an error, the issue does not point into the body, and the fix is to send the field.
 * @param optional the fields that the body may omit
 */
export function explainOmittedFields<T>(
  body: Record<string, unknown>,
  optional: readonly string[],
  change: () => T,
): T {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, extensions, issues } = error;
    // An issue about the whole visit names no field. Its field is "", which counts as omitted,
    // because no body has this field. If no issue names an optional field, the fix asks for all
    // optional fields.
    const isOmitted = (issue: ValidationIssue) => body[fieldOf(issue)] === undefined;
    const omitted = issues.filter(isOmitted).map(fieldOf);
    if (omitted.length === 0) throw error;
    const fields = optional.filter((name) => omitted.includes(name));
    throw new AppError(code, message, {
      fix: `send ${(fields.length > 0 ? fields : optional).join(" and ")}, because the visit cannot keep its present values`,
      issues: issues.map((issue) => (isOmitted(issue) ? withoutField(issue) : issue)),
      extensions,
    });
  }
}

/** Returns the field of the body that an issue is about; "" if the issue names none. */
const fieldOf = ({ parameter = "", pointer = `#/${parameter}` }: ValidationIssue): string =>
  pointer.split("/")[1] ?? "";

const withoutField = ({ parameter, pointer, ...issue }: ValidationIssue): ValidationIssue => issue;
