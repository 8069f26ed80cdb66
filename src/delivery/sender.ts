import { type Dispatcher, Pool } from "undici";
import type { Runtime } from "../app/runtime.ts";
import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import { cacheResolve, type Resolve, resolveName } from "../app/webhooks/host-limits.ts";
import { BoundedCache } from "../domain/bounded-cache.ts";
import type { Outcome } from "../domain/webhooks/settle.ts";
import { parseTarget, type UnsafeUrl, type UrlPolicy } from "../domain/webhooks/safe-url.ts";
import type { Send, WebhookPost } from "../domain/webhooks/webhook-post.ts";
import { ConnectError, createConnector, type OnConnected } from "./connector.ts";

export type OriginPools = ReturnType<typeof createOriginPools>;

/**
 * Keeps a connection pool for each origin, as long as the pool has connections. undici's Agent does
 * so too, but compares all origins whenever a connection closes.
 */
export function createOriginPools(options: Pool.Options) {
  const pools = new Map<string, Pool>();

  function openPool(origin: string): Pool {
    const pool = new Pool(origin, options);
    const removeIfUnused = (): void => {
      const { connected, pending } = pool.stats;
      if (connected > 0 || pending > 0 || pools.get(origin) !== pool) return;
      pools.delete(origin);
      void pool.close();
    };
    pool.on("disconnect", removeIfUnused).on("connectionError", removeIfUnused);
    pools.set(origin, pool);
    return pool;
  }

  return {
    dispatch: (
      { origin, ...request }: Dispatcher.DispatchOptions & { origin: string },
      handler: Dispatcher.DispatchHandler,
    ): void => void (pools.get(origin) ?? openPool(origin)).dispatch(request, handler),
    count: (): number => pools.size,
    async destroy(): Promise<void> {
      const open = [...pools.values()];
      // A pool that is being destroyed must not be closed when its connections end.
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}

export type Sender = { send: Send; close: () => Promise<void> };

/** The part of a response's body that is read. A connection with more to read is closed. */
const MAX_READ_BYTES = 16 * 1024;
/** The part of a response's body that is stored with the attempt. */
const MAX_KEPT_BYTES = 4 * 1024;
/** Maximum number of parsed URLs that each of the two pools caches. */
const MAX_CACHED_TARGETS = 10_000;

/**
 * Returns a sender of webhooks, with its own connections.
 * @param onConnected called with the address of each new connection
 */
export function createSender(
  baseUrlPolicy: Omit<UrlPolicy, "trusted">,
  now: () => number,
  { resolve = resolveName, onConnected }: { resolve?: Resolve; onConnected?: OnConnected } = {},
): Sender {
  const cachedResolve = cacheResolve(resolve, now);
  // The pools are separate, so that an untrusted endpoint never reuses a connection to a private
  // address.
  const createPool = (trusted: boolean) => {
    const urlPolicy = { ...baseUrlPolicy, trusted };
    // undici's timeouts do not limit a whole delivery; `sendPost` has its own.
    const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };
    const pools = createOriginPools({
      connect: createConnector(cachedResolve, urlPolicy, onConnected),
      ...limits,
    });
    return { pools, getTarget: cacheTargets(urlPolicy) };
  };
  const untrusted = createPool(false);
  const trusted = createPool(true);

  return {
    send(post) {
      const { pools, getTarget } = post.trusted ? trusted : untrusted;
      const target = getTarget(post.url);
      if ("reason" in target) return Promise.resolve({ kind: "blocked", error: target.reason });
      return sendPost(pools, target, post, now);
    },
    async close() {
      await Promise.all([untrusted.pools.destroy(), trusted.pools.destroy()]);
    },
  };
}

/**
 * Returns a function that sends one POST over a new connection and reports the address it connected
 * to.
 */
export const createSendOnce =
  (rt: Runtime): SendOnce =>
  async (post, signal) => {
    if (signal?.aborted) return { outcome: { kind: "refused", error: "aborted" }, address: null };
    let address: string | null = null;
    const sender = createSender(rt.config.urlAllowances, rt.monotonic, {
      onConnected: (connected) => void (address = connected),
    });
    const abort = () => void sender.close();
    signal?.addEventListener("abort", abort);
    try {
      return { outcome: await sender.send(post), address };
    } finally {
      signal?.removeEventListener("abort", abort);
      await sender.close();
    }
  };

type Target = { origin: string; path: string };

function cacheTargets(urlPolicy: UrlPolicy): (url: string) => Target | UnsafeUrl {
  const cache = new BoundedCache<string, Target | UnsafeUrl>(MAX_CACHED_TARGETS);
  return (url) =>
    cache.getOrInsertComputed(url, () => {
      const parsed = parseTarget(url, urlPolicy);
      return "reason" in parsed
        ? parsed
        : { origin: parsed.url.origin, path: parsed.url.pathname + parsed.url.search };
    });
}

/**
 * Sends a POST and resolves to its outcome. The status and headers decide the outcome, even if the
 * rest of the response fails.
 */
function sendPost(
  pools: OriginPools,
  target: Target,
  { headers, body, timeoutMs, isWanted = () => true }: WebhookPost,
  now: () => number,
): Promise<Outcome> {
  const startedAt = now();
  return new Promise((resolve) => {
    // The outcome until a response or an error replaces it.
    let outcome: Outcome = { kind: "timed_out", error: `no response within ${timeoutMs / 1000} s` };
    let isFinished = false;
    let request: Dispatcher.DispatchController | undefined;
    const keptChunks: Buffer[] = [];
    let bytesRead = 0;

    const finish = () => {
      isFinished = true;
      clearTimeout(timer);
      if (outcome.kind === "responded" && keptChunks.length > 0)
        outcome.responseText = Buffer.concat(keptChunks).subarray(0, MAX_KEPT_BYTES).toString();
      resolve(outcome);
    };
    const abort = () => {
      finish();
      request?.abort(ABORTED);
    };
    let timer = setTimeout(() => {
      // A process that was suspended may not have read a response that has already arrived.
      if (now() - startedAt > timeoutMs + SUSPENDED_MS) timer = setTimeout(abort, CATCH_UP_MS);
      else abort();
    }, timeoutMs);

    pools.dispatch(
      { ...target, method: "POST", headers, body },
      {
        onRequestStart(controller) {
          request = controller;
          // The attempt timed out while it waited for a connection, or its endpoint was disabled.
          if (isFinished || !isWanted()) controller.abort(ABORTED);
        },
        onResponseStart(_controller, statusCode, { "retry-after": retryAfter }) {
          if (statusCode >= 200)
            outcome = {
              kind: "responded",
              statusCode,
              retryAfter: [retryAfter].flat()[0] ?? null,
              responseText: "",
            };
        },
        onResponseData(_controller, chunk) {
          if (bytesRead < MAX_KEPT_BYTES) keptChunks.push(chunk);
          bytesRead += chunk.length;
          if (bytesRead >= MAX_READ_BYTES) abort();
        },
        onResponseEnd: finish,
        onResponseError(_controller, error) {
          if (isFinished) return;
          if (outcome.kind !== "responded") outcome = toOutcome(error);
          finish();
        },
      },
    );
  });
}

const ABORTED = new Error("aborted");

/** A timer that fires later than this does so because the process was suspended. */
const SUSPENDED_MS = 1000;
/** Time in which a process that was suspended reads a response that has arrived meanwhile. */
const CATCH_UP_MS = 1000;

function toOutcome(error: Error): Outcome {
  if (error instanceof ConnectError) return { kind: error.kind, error: error.message };
  const { code = error.message } = error as NodeJS.ErrnoException;
  return { kind: "refused", error: isSyntaxError(error, code) ? SYNTAX_ERROR : code };
}

const SYNTAX_ERROR = "the response is not valid HTTP";

/** undici's parser reports a status below 100 as a failed assertion. */
const isSyntaxError = (error: Error, code: string): boolean =>
  error.name === "HTTPParserError" || code === "ERR_ASSERTION";
