import { z } from "zod";
import { prepareDelete, prepareEnable } from "../../../app/webhooks/endpoint-lifecycle.ts";
import {
  finishSecretRotation,
  rotateEndpointSecret,
} from "../../../app/webhooks/endpoint-secrets.ts";
import { prepareEndpoint, prepareUpdate } from "../../../app/webhooks/endpoints.ts";
import { limitedHost, recordTest } from "../../../app/webhooks/host-limits.ts";
import {
  assertMaySubscribe,
  getOwnEndpoint,
  listOwnEndpoints,
} from "../../../app/webhooks/endpoint-owner.ts";
import {
  recordAcceptedTest,
  testEndpoint,
  type TestResult,
} from "../../../app/webhooks/test-endpoint.ts";
import { parseRequest } from "../../../domain/parse-request.ts";
import { AppError } from "../../../domain/errors.ts";
import { ALL_EVENT_TYPES, isEventType } from "../../../domain/events/event-types.ts";
import { lazy } from "../../../domain/lazy.ts";
import { formatInstant, YEARS } from "../../../domain/local-time.ts";
import { outcomeForPartners } from "../../../domain/webhooks/settle.ts";
import { isPublicAddress } from "../../../domain/webhooks/safe-url.ts";
import type { AnyCredential } from "../../../store/keys.ts";
import { emptyBody, readJsonObject, readOptionalJsonObject } from "../../pipeline/body.ts";
import {
  getTimezone,
  NO_STORE,
  respondPageOfKey,
  paginate,
  urlOfKey,
} from "../../pipeline/business-response.ts";
import { commitReply, retryWhileBusy } from "../../pipeline/idempotency.ts";
import {
  handleChange,
  handleGet,
  ignoreBody,
  toDataReply,
} from "../../pipeline/object-handlers.ts";
import {
  assertNoParameters,
  cursor,
  instant,
  pageSize,
  parseParameters,
} from "../../pipeline/parameters.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { toPublicEndpoint, toPublicText } from "./endpoint-object.ts";

const PATH = "webhooks";
const DAY_SECONDS = 86_400;
/** Maximum number of tests in progress: far more than people start by hand. */
const MAX_CONCURRENT_TESTS = 64;
/**
 * Maximum number of tests that one key may have in progress to one host, unless the operator trusts
 * the host.
 */
const MAX_TESTS_PER_HOST = 2;

export const endpointsParameters = lazy(() => ({ limit: pageSize(), cursor: cursor() }));

// The error texts of these schemas are nouns, because `parseRequest` writes "must be" before them.

const enableBody = (zone?: string) =>
  z.strictObject({
    recover: z
      .union([z.enum(["all", "none"]), instant(zone)], {
        error: `all, none, or a date and time ${YEARS} such as 2026-12-31T18:00:00+01:00`,
      })
      .default("all")
      .describe(
        "Which missed events to send: `all` (the default), `none`, or those since a past date and time; the others are cancelled",
      ),
  });

export const enableEndpointBody = lazy(() => enableBody());
/** The endpoint of a partner of several businesses has no single business with a time zone. */
export const enablePartnerEndpointBody = lazy(() => enableBody("UTC"));

const OVERLAP = { error: `a whole number of seconds from 0 to ${7 * DAY_SECONDS}` };

export const rotateSecretBody = lazy(() =>
  z.strictObject({
    overlapSeconds: z
      .int(OVERLAP)
      .min(0, OVERLAP)
      .max(7 * DAY_SECONDS, OVERLAP)
      .default(DAY_SECONDS)
      .describe("How long both secrets stay valid, in seconds"),
    force: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe(
        "Rotate again although a rotation is in progress. The oldest secret, which the receiver may still use, stays valid for the overlap; the one in between is dropped",
      ),
  }),
);

export const testEndpointBody = lazy(() =>
  z.strictObject({
    eventType: z
      .enum(ALL_EVENT_TYPES, { error: "an event type such as service.updated" })
      .optional()
      .describe("Event type to send, also one that the endpoint does not subscribe to"),
  }),
);

export const listEndpoints =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: AnyCredential): HttpResponse => {
    const { limit, cursor } = parseParameters(endpointsParameters(), context.request.search);
    const timezone = getTimezone(rt, key);
    // IDs increase with time, so sorting by ID alone is enough.
    const endpoints = listOwnEndpoints(rt, key).map((endpoint) => ({ ...endpoint, sortOrder: 0 }));
    const { objects, nextCursor } = paginate(PATH, endpoints, limit, cursor);
    const data = objects.map((endpoint) => toPublicEndpoint(rt, endpoint, timezone));
    return respondPageOfKey(rt, context, key, PATH, { data, nextCursor });
  };

export const handleCreateEndpoint =
  ({ rt }: HandlerDeps) =>
  async (context: RequestContext, key: AnyCredential): Promise<HttpResponse> => {
    assertNoParameters(context.request.search);
    const { name, url, events, ...others } = await readJsonObject(context);
    const create = await prepareEndpoint(rt, {
      businessId: key.businessId,
      partnerId: key.businessId === null ? key.partnerId : null,
      keyId: key.id,
      name,
      url,
      events,
      allowPrivate: false,
      unknownFields: Object.keys(others),
    });
    const timezone = getTimezone(rt, key);
    return commitReply(rt, context, () => {
      const { endpoint, secret } = create();
      const location = urlOfKey(rt, key, `${PATH}/${endpoint.id}`);
      const data = { ...toPublicEndpoint(rt, endpoint, timezone), secret };
      return toDataReply(data, 201, ["location", location, ...NO_STORE]);
    });
  };

export const handleGetEndpoint = ({ rt }: HandlerDeps) =>
  handleGet({ rt }, getOwnEndpoint, (endpoint, timezone) =>
    toPublicEndpoint(rt, endpoint, timezone),
  );

export const handleUpdateEndpoint = ({ rt }: HandlerDeps) =>
  handleChange(
    { rt },
    getOwnEndpoint,
    readJsonObject,
    async ({ id }, timezone, body, _context, key) => {
      const { name, url, events, status, ...others } = body;
      // Texts that are no event types are skipped here, because `prepareUpdate` refuses them.
      if (Array.isArray(events)) assertMaySubscribe(key, events.filter(isEventType));
      const unknownFields = Object.keys(others);
      const changes = { name, url, events, status, byPartner: true, unknownFields };
      const update = await prepareUpdate(rt, id, changes);
      return () => toPublicEndpoint(rt, update(), timezone);
    },
  );

export const handleDeleteEndpoint = ({ rt }: HandlerDeps) =>
  handleChange({ rt }, getOwnEndpoint, ignoreBody, ({ id }) => {
    const remove = prepareDelete(rt, id);
    return () => void remove();
  });

export const handleEnableEndpoint = ({ rt }: HandlerDeps) =>
  handleChange({ rt }, getOwnEndpoint, readOptionalJsonObject, ({ id }, timezone, body) => {
    const { recover } = parseRequest(enableEndpointBody(), body);
    const missedEvents = typeof recover === "string" ? recover : recover.resolve(timezone);
    const enable = prepareEnable(rt, id, missedEvents, { byPartner: true });
    return () => {
      const { endpoint, ...counts } = enable();
      return { ...toPublicEndpoint(rt, endpoint, timezone), ...counts };
    };
  });

export const handleRotateEndpointSecret = ({ rt }: HandlerDeps) =>
  handleChange(
    { rt },
    getOwnEndpoint,
    readOptionalJsonObject,
    ({ id }, timezone, body) => {
      const { overlapSeconds, force } = parseRequest(rotateSecretBody(), body);
      const overlap = { overlapMs: overlapSeconds * 1000, force };
      return () => {
        const { endpoint, secret, oldEndsAt } = rotateEndpointSecret(rt, id, overlap);
        const oldSecretEndsAt = formatInstant(oldEndsAt, timezone);
        return { ...toPublicEndpoint(rt, endpoint, timezone), secret, oldSecretEndsAt };
      };
    },
    { headers: NO_STORE },
  );

export const handleFinishSecretRotation = ({ rt }: HandlerDeps) =>
  handleChange({ rt }, getOwnEndpoint, readOptionalJsonObject, ({ id }, timezone, body) => {
    parseRequest(emptyBody(), body);
    return () => {
      const { endpoint, finished } = finishSecretRotation(rt, id);
      return { ...toPublicEndpoint(rt, endpoint, timezone), finished };
    };
  });

/** Responds with the result of a test event: 200 even if the receiver failed. */
export function handleTestEndpoint(deps: HandlerDeps) {
  const { rt, sendOnce } = deps;
  const { closing } = deps.longPolls;
  /**
   * The tests in progress: endpoint ID -> the key and host whose limit the test counts against;
   * null if the host has no limit.
   */
  const testing = new Map<string, string | null>();
  return handleChange(
    deps,
    getOwnEndpoint,
    readOptionalJsonObject,
    async (endpoint, _timezone, body, { request }, key) => {
      const { eventType } = parseRequest(testEndpointBody(), body);
      if (eventType !== undefined) assertMaySubscribe(key, [eventType]);
      const { id, keyId } = endpoint;
      const host = limitedHost(endpoint);
      const keyAndHost = host && `${keyId ?? ""} ${host}`;
      if (testing.has(id))
        throw new AppError("conflict", "A test of this endpoint is still in progress.");
      if (testing.size >= MAX_CONCURRENT_TESTS)
        throw new AppError("busy", "Too many tests are in progress; retry in a moment.");
      const testsOfHost = testing
        .values()
        .filter((other) => keyAndHost !== null && other === keyAndHost);
      if ([...testsOfHost].length >= MAX_TESTS_PER_HOST)
        throw new AppError("busy", `Other tests of ${host} are in progress; retry in a moment.`);
      testing.set(id, keyAndHost);
      try {
        await retryWhileBusy(rt, () => recordTest(rt, endpoint));
        const signal = AbortSignal.any([request.disconnected(), closing]);
        const result = await testEndpoint(rt, id, sendOnce, { eventType, signal });
        if (closing.aborted)
          throw new AppError("shutting_down", "The server is shutting down; the test was aborted.");
        return () => {
          if (result.ok) recordAcceptedTest(rt, endpoint);
          return {
            ...outcomeForPartners(result),
            address: publicAddress(result),
            responseText: toPublicText(result.responseText),
          };
        };
      } finally {
        testing.delete(id);
      }
    },
  );
}

/**
 * Returns the address that a partner may see; null for a private address, and for one that did not
 * respond.
 */
const publicAddress = ({ outcome, address }: TestResult): string | null =>
  outcome === "responded" && address !== null && isPublicAddress(address) ? address : null;
