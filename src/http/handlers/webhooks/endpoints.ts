import { z } from "zod";
import { deleteEndpoint, enableEndpoint } from "../../../app/webhooks/endpoint-lifecycle.ts";
import {
  finishSecretRotation,
  rotateEndpointSecret,
} from "../../../app/webhooks/endpoint-secrets.ts";
import { createEndpoint, updateEndpoint } from "../../../app/webhooks/endpoints.ts";
import { limitedHost, recordTest, verifyHostOf } from "../../../app/webhooks/host-limits.ts";
import { getOwnEndpoint, listOwnEndpoints } from "../../../app/webhooks/own-webhooks.ts";
import { testEndpoint, type TestResult } from "../../../app/webhooks/test-endpoint.ts";
import { parseRequest } from "../../../domain/bookings/requests.ts";
import { AppError } from "../../../domain/errors.ts";
import { EVENT_TYPES } from "../../../domain/event-types.ts";
import { formatInstant } from "../../../domain/local-time.ts";
import type { endpoint } from "../../../domain/public/schemas/webhook.ts";
import { safe } from "../../../domain/text.ts";
import { outcomeForPartners } from "../../../domain/webhooks/outcome.ts";
import { isPublicAddress } from "../../../domain/webhooks/safe-url.ts";
import type { EndpointRow } from "../../../store/endpoints.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject, readOptionalJsonObject } from "../../pipeline/body.ts";
import {
  businessUrl,
  getBusiness,
  getTimezone,
  NO_STORE,
  PRIVATE,
  respondData,
  respondPage,
} from "../../pipeline/business-response.ts";
import { paginate } from "../../pipeline/cursor.ts";
import { cursor, instant, pageSize, parseParameters } from "../../pipeline/parameters.ts";
import {
  getHeader,
  type HttpResponse,
  type RequestContext,
  respond,
} from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";

const PATH = "webhooks";
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const DAY_SECONDS = 86_400;
/** Far more than people start by hand. */
const MAX_CONCURRENT_TESTS = 64;
/** Of one key, to one host that the operator does not trust. */
const MAX_TESTS_PER_HOST = 2;
/** Maximum length of a response text shown to partners. */
const MAX_TEXT_CHARACTERS = 256;

export const ENDPOINTS_PARAMETERS = { limit: pageSize, cursor };

/** Only documents the body: `createEndpoint` validates it, also for the CLI. */
export const createEndpointBody = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .describe("Label of the endpoint: one line without control or invisible characters"),
  url: z
    .string()
    .describe("URL to send events to: https, with a public address; a fragment is removed"),
  events: z.array(z.enum(EVENT_TYPES)).min(1).describe("Event types to send"),
});
export const updateEndpointBody = createEndpointBody.partial();

// The error texts of these schemas are nouns: the caller adds "must be".

export const emptyBody = z.strictObject({});

export const enableEndpointBody = z.strictObject({
  recover: z
    .union([z.enum(["all", "none"]), instant], {
      error: "all, none, or a date and time such as 2026-12-31T18:00:00+01:00",
    })
    .default("all")
    .describe(
      "Which missed events to send: `all` (the default), `none`, or those since a past date and time; the others are cancelled",
    ),
});

const OVERLAP = { error: `a whole number of seconds from 0 to ${7 * DAY_SECONDS}` };

export const rotateSecretBody = z.strictObject({
  overlapSeconds: z
    .int(OVERLAP)
    .min(0, OVERLAP)
    .max(7 * DAY_SECONDS, OVERLAP)
    .default(DAY_SECONDS)
    .describe("How long both secrets stay valid, in seconds"),
  force: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Start a new rotation even if one is in progress; the oldest secret is dropped"),
});

export const pathId = ({ request }: RequestContext): string => request.params["id"] ?? "";

/**
 * Handles a request for one object. Errors are checked in the order 400, 404, 422.
 * @param act returns the data of the response; undefined for a 204
 */
export const handleObject =
  <Row, Body>(
    { rt }: Pick<HandlerDeps, "rt">,
    find: (rt: HandlerDeps["rt"], key: Credential, id: string) => Row,
    readBody: (context: RequestContext) => Body | Promise<Body>,
    act: (row: Row, timezone: string, body: Body, context: RequestContext) => unknown,
    { status = 200, headers = PRIVATE } = {},
  ) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    const body = await readBody(context);
    const row = find(rt, key, pathId(context));
    const timezone = getTimezone(rt, key);
    const data = await retryWhileBusy(rt, () => act(row, timezone, body, context));
    return data === undefined
      ? respond(context, 204, [])
      : respondData(context, data, status, headers);
  };

export const ignoreBody = (): void => {};

export const listEndpoints =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const { limit, cursor } = parseParameters(ENDPOINTS_PARAMETERS, context.request.search);
    const business = getBusiness(rt, key);
    // IDs increase with time, so sorting by ID alone is enough.
    const endpoints = listOwnEndpoints(rt, key).map((endpoint) => ({ ...endpoint, sortOrder: 0 }));
    const { objects, nextCursor } = paginate(PATH, endpoints, limit, cursor);
    const data = objects.map((endpoint) => toPublicEndpoint(endpoint, business.doc.timezone));
    return respondPage(rt, context, business, PATH, { data, nextCursor });
  };

export const handleCreateEndpoint =
  ({ rt }: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    const idempotencyKey = readIdempotencyKey(context);
    const { name, url, events, ...others } = await readJsonObject(context);
    const { endpoint, secret } = await retryWhileBusy(rt, () =>
      createEndpoint(rt, {
        businessId: key.businessId,
        keyId: key.id,
        name,
        url,
        events,
        allowPrivate: false,
        unknownFields: Object.keys(others),
        idempotencyKey,
      }),
    );
    const location = businessUrl(rt, key.businessSlug, `${PATH}/${endpoint.id}`);
    const data = { ...toPublicEndpoint(endpoint, getTimezone(rt, key)), secret };
    return respondData(context, data, 201, ["location", location, ...NO_STORE]);
  };

export const handleGetEndpoint = (deps: HandlerDeps) =>
  handleObject(deps, getOwnEndpoint, ignoreBody, toPublicEndpoint);

export const handleUpdateEndpoint = (deps: HandlerDeps) =>
  handleObject(deps, getOwnEndpoint, readJsonObject, async ({ id }, timezone, body) => {
    const { name, url, events, ...others } = body;
    const changes = { name, url, events, byPartner: true, unknownFields: Object.keys(others) };
    return toPublicEndpoint(await updateEndpoint(deps.rt, id, changes), timezone);
  });

export const handleDeleteEndpoint = (deps: HandlerDeps) =>
  handleObject(deps, getOwnEndpoint, ignoreBody, ({ id }) => void deleteEndpoint(deps.rt, id));

export const handleEnableEndpoint = (deps: HandlerDeps) =>
  handleObject(deps, getOwnEndpoint, readOptionalJsonObject, ({ id }, timezone, body) => {
    const { recover } = parseRequest(enableEndpointBody, body);
    const missedEvents = typeof recover === "string" ? recover : recover.resolve(timezone);
    const { endpoint, ...counts } = enableEndpoint(deps.rt, id, missedEvents, { byPartner: true });
    return { ...toPublicEndpoint(endpoint, timezone), ...counts };
  });

export const handleRotateEndpointSecret = (deps: HandlerDeps) =>
  handleObject(
    deps,
    getOwnEndpoint,
    readOptionalJsonObject,
    ({ id }, timezone, body) => {
      const { overlapSeconds, force } = parseRequest(rotateSecretBody, body);
      const overlap = { overlapMs: overlapSeconds * 1000, force };
      const { endpoint, secret, oldEndsAt } = rotateEndpointSecret(deps.rt, id, overlap);
      const oldSecretEndsAt = formatInstant(oldEndsAt, timezone);
      return { ...toPublicEndpoint(endpoint, timezone), secret, oldSecretEndsAt };
    },
    { headers: NO_STORE },
  );

export const handleFinishSecretRotation = (deps: HandlerDeps) =>
  handleObject(deps, getOwnEndpoint, readOptionalJsonObject, (endpoint, timezone, body) => {
    parseRequest(emptyBody, body);
    const finished = finishSecretRotation(deps.rt, endpoint.id);
    return { ...toPublicEndpoint(endpoint, timezone), finished };
  });

/** Responds with the result of a test event: 200 even if the receiver failed. */
export function handleTestEndpoint(deps: HandlerDeps) {
  const { rt, sendOnce } = deps;
  const { closing } = deps.longPolls;
  /** The tests in progress, by endpoint, each with the key and the host that it counts for. */
  const testing = new Map<string, string | null>();
  return handleObject(
    deps,
    getOwnEndpoint,
    readOptionalJsonObject,
    async (endpoint, _timezone, body, { request }) => {
      parseRequest(emptyBody, body);
      const { id, keyId } = endpoint;
      const host = limitedHost(endpoint);
      const share = host && `${keyId ?? ""} ${host}`;
      if (testing.has(id))
        throw new AppError("conflict", "A test of this endpoint is still in progress.");
      if (testing.size >= MAX_CONCURRENT_TESTS)
        throw new AppError("busy", "Too many tests are in progress; retry in a moment.");
      const sameShare = testing.values().filter((other) => share !== null && other === share);
      if ([...sameShare].length >= MAX_TESTS_PER_HOST)
        throw new AppError("busy", `Other tests of ${host} are in progress; retry in a moment.`);
      testing.set(id, share);
      try {
        recordTest(rt, endpoint);
        const signal = AbortSignal.any([request.disconnected(), closing]);
        const result = await testEndpoint(rt, id, sendOnce, signal);
        if (closing.aborted)
          throw new AppError("shutting_down", "The server is shutting down; the test was aborted.");
        // Retried here, because the test must not be sent again.
        if (result.ok) await retryWhileBusy(rt, () => verifyHostOf(rt, endpoint));
        return {
          ...outcomeForPartners(result),
          address: publicAddress(result),
          responseText: toPublicText(result.responseText),
        };
      } finally {
        testing.delete(id);
      }
    },
  );
}

/** The address of a private host is for the operator only, and that of one that did not respond. */
const publicAddress = ({ outcome, address }: TestResult): string | null =>
  outcome === "responded" && address !== null && isPublicAddress(address) ? address : null;

function readIdempotencyKey({ request }: RequestContext): string | undefined {
  const value = getHeader(request, "idempotency-key");
  if (value === undefined || IDEMPOTENCY_KEY.test(value)) return value;
  const detail =
    "Invalid Idempotency-Key: expected 1 to 255 printable ASCII characters without spaces.";
  throw new AppError("invalid_parameter", detail, {
    issues: [{ parameter: "Idempotency-Key", code: "invalid_value", detail }],
  });
}

const toPublicEndpoint = (
  { id, name, url, events, status, disabledReason, ...times }: EndpointRow,
  timezone: string,
): z.output<typeof endpoint> => ({
  id,
  name,
  url,
  events,
  status,
  disabledReason,
  failingSince: instantOrNull(times.failingSince, timezone),
  createdAt: formatInstant(times.createdAt, timezone),
  updatedAt: formatInstant(times.updatedAt, timezone),
});

export const toPublicText = (text: string | null): string | null =>
  text && safe(text, MAX_TEXT_CHARACTERS);

export const instantOrNull = (at: number | null, timezone: string): string | null =>
  at === null ? null : formatInstant(at, timezone);
