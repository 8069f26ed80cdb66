import { z } from "zod";
import {
  MAX_REDELIVERED,
  REDELIVERABLE,
  redeliverOwn,
  type RedeliveryPosition,
} from "../../../app/webhooks/own-redeliveries.ts";
import { integer } from "../../../domain/basic-schemas.ts";
import { AppError } from "../../../domain/errors.ts";
import { ALL_EVENT_TYPES } from "../../../domain/events/event-types.ts";
import { lazy } from "../../../domain/lazy.ts";
import { parseRequest } from "../../../domain/parse-request.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import {
  decodeCursor,
  encodeCursor,
  getBusinessOfKey,
  PRIVATE,
  toPublicBusiness,
} from "../../pipeline/business-response.ts";
import { commitReply, toJsonReply } from "../../pipeline/idempotency.ts";
import { bodyInstant, flag, parseParameters } from "../../pipeline/parameters.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";

const PATH = "deliveries/redeliver";

export const redeliverParameters = lazy(() => ({
  dryRun: flag().describe("Count what would be sent again, and write nothing"),
}));

// The error texts are nouns, because `parseRequest` writes "must be" before them.
export const redeliverBody = lazy(() =>
  z.strictObject({
    endpointId: z
      .string({ error: "the ID of an endpoint" })
      .optional()
      .describe("Only deliveries to this endpoint"),
    eventType: z
      .enum(ALL_EVENT_TYPES, { error: "an event type" })
      .optional()
      .describe("Only deliveries of events of this type"),
    status: z
      .enum(REDELIVERABLE, { error: REDELIVERABLE.join(", ") })
      .optional()
      .describe(
        "Only deliveries with this status. PENDING: those that wait for another attempt. CANCELLED ones are sent again only if `status` asks for them",
      ),
    since: bodyInstant().optional().describe("Only deliveries created at or after this time"),
    until: bodyInstant().optional().describe("Only deliveries created before this time"),
    limit: integer(1, MAX_REDELIVERED)
      .default(MAX_REDELIVERED)
      .describe("Maximum number of deliveries to send again"),
    cursor: z
      .string({ error: "`page.nextCursor` of the response before" })
      .optional()
      .describe("`page.nextCursor` of the response before, to go on with the same other fields"),
  }),
);

/** Responds with 202, because the deliveries are pending again but not yet sent. */
export const handleRedeliverDeliveries =
  ({ rt }: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { dryRun = false } = parseParameters(redeliverParameters(), context.request.search);
    const { since, until, cursor, ...filter } = parseRequest(
      redeliverBody(),
      await readJsonObject(context),
    );
    const { endpointId, eventType, status, limit } = filter;
    if ([since, until, endpointId, eventType, status].every((value) => value === undefined))
      throw noFilterError();
    const from = cursor === undefined ? undefined : decodePosition(cursor);
    const write = () => {
      const business = getBusinessOfKey(rt, key);
      const { timezone } = business.doc;
      const { count, disabledEndpointIds, reached } = redeliverOwn(rt, key, {
        endpointId,
        eventType,
        status,
        limit,
        since: since?.resolve(timezone) ?? 0,
        until: until?.resolve(timezone),
        from,
      });
      const nextCursor = reached && encodePosition(reached);
      const body = {
        data: { count, disabledEndpointIds },
        page: { hasMore: nextCursor !== null, nextCursor },
        meta: { business: toPublicBusiness(business) },
      };
      return toJsonReply(dryRun ? 200 : 202, body, PRIVATE);
    };
    return commitReply(rt, context, write, dryRun);
  };

function noFilterError(): AppError {
  const detail = "The request has no filter: send endpointId, eventType, status, since or until.";
  return new AppError("validation_failed", detail, {
    issues: [{ code: "missing_field", pointer: "#", detail }],
  });
}

const encodePosition = ({ endpointId, deliveryId }: RedeliveryPosition): string =>
  encodeCursor(PATH, { sortOrder: 0, id: `${endpointId} ${deliveryId}` });

function decodePosition(cursor: string): RedeliveryPosition {
  const [endpointId = "", deliveryId = ""] = decodeCursor(PATH, cursor).id.split(" ");
  return { endpointId, deliveryId };
}
