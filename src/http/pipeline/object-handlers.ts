import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import type { AnyCredential, Credential } from "../../store/keys.ts";
import { getTimezone, PRIVATE } from "./business-response.ts";
import { matchesEtag, matchesEtagStrongly } from "./cached-response.ts";
import { commitReply, toJsonReply } from "./idempotency.ts";
import { assertNoParameters } from "./parameters.ts";
import {
  getHeader,
  type HttpResponse,
  type RawHeaders,
  type RequestContext,
  respond,
} from "./request-context.ts";
import type { Reply } from "../../app/idempotent-replies.ts";
import type { HandlerDeps } from "./route.ts";

type Find<Row, Key> = (rt: Runtime, key: Key, id: string) => Row;
/** Makes the change. Returns the data of the response; undefined for a 204. */
type Write = () => object | undefined;

export const pathId = ({ request }: RequestContext): string => request.params["id"] ?? "";

/**
 * Key of a property whose text ends the ETag of an object. The property is not in the body, because
 * JSON leaves out symbols. The text changes if what a client may see of the object changes without
 * a new version.
 */
export const ETAG_SUFFIX = Symbol("ETag suffix");

/** Returns the strong ETag of an object that has a version. */
const etagOf = (object: { version?: number; [ETAG_SUFFIX]?: string }): string | undefined =>
  object.version === undefined ? undefined : `"${object.version}${object[ETAG_SUFFIX] ?? ""}"`;

export function toDataReply(data: object, status = 200, headers: RawHeaders = PRIVATE): Reply {
  const etag = etagOf(data);
  return toJsonReply(status, { data }, [...headers, ...(etag === undefined ? [] : ["etag", etag])]);
}

/** Handles a request that reads one object. */
export const handleGet =
  <Row, Key extends AnyCredential = Credential>(
    { rt }: Pick<HandlerDeps, "rt">,
    find: Find<Row, Key>,
    toPublic: (row: Row, timezone: string) => object,
  ) =>
  (context: RequestContext, key: Key): HttpResponse => {
    assertNoParameters(context.request.search);
    const data = toPublic(find(rt, key, pathId(context)), getTimezone(rt, key));
    const etag = etagOf(data);
    if (etag !== undefined && matchesEtag(getHeader(context.request, "if-none-match"), etag))
      return respond(context, 304, [...PRIVATE, "etag", etag]);
    const { status, headers, body } = toDataReply(data);
    return respond(context, status, headers, body);
  };

/**
 * Handles a request that changes one object. Errors are checked in the order 400, 404, 412, 422.
 * @param prepare validates the request and does what cannot be done in a transaction
 */
export const handleChange =
  <Row extends object, Body, Key extends AnyCredential = Credential>(
    { rt }: Pick<HandlerDeps, "rt">,
    find: Find<Row, Key>,
    readBody: (context: RequestContext) => Body | Promise<Body>,
    prepare: (
      row: Row,
      timezone: string,
      body: Body,
      context: RequestContext,
      key: Key,
    ) => Write | Promise<Write>,
    { status = 200, headers = PRIVATE } = {},
  ) =>
  async (context: RequestContext, key: Key): Promise<HttpResponse> => {
    assertNoParameters(context.request.search);
    const body = await readBody(context);
    const findMatching = (): Row => {
      const row = find(rt, key, pathId(context));
      assertIfMatch(context, row);
      return row;
    };
    const write = await prepare(findMatching(), getTimezone(rt, key), body, context, key);
    return commitReply(rt, context, () => {
      // The object is checked again, because it may have changed during the preparation.
      findMatching();
      const data = write();
      return data === undefined
        ? { status: 204, headers: [], body: null }
        : toDataReply(data, status, headers);
    });
  };

export const ignoreBody = (): void => {};

/**
 * Matches the suffix (`ETAG_SUFFIX`) of an ETag and the quote after it. If-Match is compared
 * without the suffix, because a change conflicts with a newer version only.
 */
const SUFFIX = /-[\d.]+"/g;

/**
 * Asserts that If-Match, if sent, matches the object by strong comparison (RFC 9110, 13.1.1).
 * @throws AppError version_mismatch
 */
export function assertIfMatch({ request }: RequestContext, object: object): void {
  const ifMatch = getHeader(request, "if-match");
  const etag = etagOf(object);
  const versions = ifMatch?.replaceAll(SUFFIX, '"');
  if (etag === undefined || versions === undefined || matchesEtagStrongly(versions, etag)) return;
  throw new AppError(
    "version_mismatch",
    `The object has the ETag ${etag}, which is not in If-Match.`,
    { fix: "read the object again and send its ETag" },
  );
}
