import { setTimeout as delay } from "node:timers/promises";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { isBusy, LOCK_RETRY_MS } from "../../store/database/write-lock.ts";
import { findReply, type Reply, saveReply } from "../../app/idempotent-replies.ts";
import type { Credential } from "../../store/keys.ts";
import { readOptionalJsonObject } from "./body.ts";
import { parametersError } from "./parameters.ts";
import {
  contentHeaders,
  getHeader,
  type HandlerResult,
  type HttpResponse,
  type RawHeaders,
  type RequestContext,
  respond,
} from "./request-context.ts";

export const WRITE_TIMEOUT_MS = 2000;

/**
 * Retries a write while another writer holds the lock. SQLite does not wait for the lock on the
 * HTTP thread, because that would block every request.
 * @throws AppError busy after two seconds
 */
export async function retryWhileBusy<T>(rt: Runtime, write: () => T | Promise<T>): Promise<T> {
  const startedAt = rt.monotonic();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (rt.monotonic() - startedAt >= WRITE_TIMEOUT_MS)
        throw new AppError("busy", "Another writer holds the database lock; retry in a moment.");
    }
    await delay(LOCK_RETRY_MS);
  }
}

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
/** Time between two checks whether the first request with an Idempotency-Key has ended. */
const POLL_MS = 5;

/** Handles a POST request, or repeats the reply to an earlier one with the same Idempotency-Key. */
export type HandleOnce = (
  context: RequestContext,
  key: Pick<Credential, "id">,
  handle: () => HandlerResult,
  isRequired?: boolean,
) => HandlerResult;

/**
 * Returns a function that handles requests with an Idempotency-Key once. A reply is repeated only
 * if its request has changed something: a refused request is handled again. A second request waits
 * while the first is still being handled.
 */
export function createHandleOnce(rt: Runtime): HandleOnce {
  const inProgress = new Set<string>();

  /**
   * Adds a request to those in progress, once the request before it with the same Idempotency-Key
   * has ended.
   */
  const begin = async (id: string): Promise<void> => {
    const startedAt = rt.monotonic();
    while (inProgress.has(id)) {
      if (rt.monotonic() - startedAt >= WRITE_TIMEOUT_MS)
        throw new AppError(
          "busy",
          "The first request with this Idempotency-Key is still in progress; retry in a moment.",
        );
      await delay(POLL_MS);
    }
    // Nothing is awaited after the check, so that another request that waits sees this one.
    inProgress.add(id);
  };

  /** @param token the Idempotency-Key */
  const handleWithIdempotencyKey = async (
    context: RequestContext,
    key: Pick<Credential, "id">,
    token: string,
    handle: () => HandlerResult,
  ): Promise<HttpResponse> => {
    const { method, path } = context.request;
    const request = canonicalJson([method, path, await readOptionalJsonObject(context)]);
    const id = `${key.id} ${token}`;
    await begin(id);
    try {
      const identified = { keyId: key.id, token, request };
      // A jump of the clock is applied first. Otherwise, a stored reply could seem a day old, and
      // the request would be handled twice.
      await retryWhileBusy(rt, rt.applyJump);
      const reply = findReply(rt, identified);
      if (reply) return replay(context, reply);
      context.saveReply = (newReply) => saveReply(rt, identified, newReply);
      return await handle();
    } finally {
      inProgress.delete(id);
    }
  };

  return (context, key, handle, isRequired) => {
    const token = readIdempotencyKey(context);
    // A dry run ignores the Idempotency-Key: it has no effect that could happen twice, and a real
    // request with the key must not get the response of the dry run.
    if (asksForDryRun(context)) return handle();
    if (token !== undefined) return handleWithIdempotencyKey(context, key, token, handle);
    if (isRequired) throw missingIdempotencyKeyError();
    return handle();
  };
}

export function toJsonReply(status: number, value: unknown, headers: RawHeaders): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: [...contentHeaders("application/json", body), ...headers], body };
}

const replay = (context: RequestContext, { status, headers, body }: Reply): HttpResponse =>
  respond(context, status, [...headers, "idempotency-replayed", "true"], body);

/** `beforeCommit` is called last in the transaction, once the reply has been stored. */
type WrittenReply = Reply & { beforeCommit?: () => void };

/**
 * Responds with the reply of `write`. The transaction of `write` also stores the reply if the
 * request has an Idempotency-Key. Every handler of a POST route must end with this function.
 * @param write returns the reply; called again while another writer holds the database lock
 * @param isDryRun whether the transaction is rolled back
 */
export async function commitReply(
  rt: Runtime,
  context: RequestContext,
  write: () => WrittenReply,
  isDryRun = false,
): Promise<HttpResponse> {
  const commit = () =>
    rt.tx(() => {
      const { beforeCommit, ...reply } = write();
      context.saveReply?.(reply);
      beforeCommit?.();
      return reply;
    });
  const { status, headers, body } = await retryWhileBusy(rt, () =>
    isDryRun ? runDry(rt, commit) : commit(),
  );
  return respond(context, status, headers, body);
}

function runDry<T>(rt: Runtime, work: () => T): T {
  const end = rt.startDryRun();
  try {
    return work();
  } finally {
    end();
  }
}

/** Returns JSON with sorted field names, so that equal values have equal texts. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const asksForDryRun = ({ request }: RequestContext): boolean =>
  /^(?:true|1)$/.test(new URLSearchParams(request.search).get("dryRun") ?? "");

function missingIdempotencyKeyError(): AppError {
  const detail =
    "This request needs the header Idempotency-Key, so that it takes effect once if it is sent again.";
  return new AppError("missing_idempotency_key", detail, {
    fix: "send a new random key with each request, and the same key when you repeat it",
    issues: [{ parameter: "Idempotency-Key", code: "missing_parameter", detail }],
  });
}

function readIdempotencyKey({ request }: RequestContext): string | undefined {
  const value = getHeader(request, "idempotency-key");
  if (value === undefined || IDEMPOTENCY_KEY.test(value)) return value;
  const detail =
    "Invalid Idempotency-Key: expected 1 to 255 printable ASCII characters without spaces.";
  throw parametersError([{ parameter: "Idempotency-Key", code: "invalid_value", detail }]);
}
