import { Agent, type Dispatcher } from "undici";
import { cacheResolve, type Resolve, resolveName } from "../app/webhooks/resolver.ts";
import type { WebhookPost, Send } from "../domain/webhooks/webhook-post.ts";
import { type UrlPolicy, parseTarget, type UnsafeUrl } from "../domain/webhooks/safe-url.ts";
import type { Outcome } from "../domain/webhooks/outcome.ts";
import { ConnectError, createConnector, type OnConnected } from "./connector.ts";

export type Sender = { send: Send; close: () => Promise<void> };

/** Of a longer body the rest stays unread. */
const MAX_READ = 16 * 1024;
const MAX_KEPT = 4 * 1024;
const MAX_TARGETS = 10_000;

/** @param onConnected is told the address of each connection that is made */
export function createSender(
  lab: Omit<UrlPolicy, "trusted">,
  now: () => number,
  { resolve = resolveName, onConnected }: { resolve?: Resolve; onConnected?: OnConnected } = {},
): Sender {
  const cached = cacheResolve(resolve, now);
  // A pool each: a stranger's endpoint must not find a connection that was opened for a trusted one.
  const createRoute = (trusted: boolean) => {
    const allowances = { ...lab, trusted };
    // undici's own timeouts do not bound a delivery; the deadline does.
    const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };
    const agent = new Agent({
      connect: createConnector(cached, allowances, onConnected),
      ...limits,
    });
    return { agent, targetOf: rememberTargets(allowances) };
  };
  const strangers = createRoute(false);
  const trusted = createRoute(true);

  return {
    send(post) {
      const { agent, targetOf } = post.trusted ? trusted : strangers;
      const target = targetOf(post.url);
      if ("refused" in target) return Promise.resolve({ kind: "blocked", error: target.refused });
      return dispatch(agent, target, post);
    },
    async close() {
      await Promise.all([strangers.agent.destroy(), trusted.agent.destroy()]);
    },
  };
}

type Place = { origin: string; path: string };

/** What a URL's text alone says of it never changes. */
function rememberTargets(allowances: UrlPolicy): (url: string) => Place | UnsafeUrl {
  const known = new Map<string, Place | UnsafeUrl>();
  return (url) => {
    const before = known.get(url);
    if (before !== undefined) return before;
    const target = parseTarget(url, allowances);
    const place =
      "refused" in target
        ? target
        : { origin: target.url.origin, path: target.url.pathname + target.url.search };
    if (known.size >= MAX_TARGETS) known.clear();
    known.set(url, place);
    return place;
  };
}

/** Status and headers decide; the body is only a log, so that whatever becomes of it changes nothing. */
function dispatch(
  agent: Agent,
  place: Place,
  { headers, body, timeoutMs }: WebhookPost,
): Promise<Outcome> {
  return new Promise((resolve) => {
    // What it is if nothing more comes.
    let outcome: Outcome = { kind: "timed_out", error: `no answer within ${timeoutMs / 1000} s` };
    let over = false;
    let request: Dispatcher.DispatchController | undefined;
    const kept: Buffer[] = [];
    let read = 0;

    const finish = () => {
      over = true;
      clearTimeout(timer);
      if (outcome.kind === "responded" && kept.length > 0)
        outcome.responseText = Buffer.concat(kept).subarray(0, MAX_KEPT).toString();
      resolve(outcome);
    };
    const cutOff = () => {
      finish();
      request?.abort(CUT_OFF);
    };
    const timer = setTimeout(cutOff, timeoutMs);

    agent.dispatch(
      { ...place, method: "POST", headers, body },
      {
        onRequestStart(controller) {
          request = controller;
          // The deadline passed while it waited for its connection.
          if (over) controller.abort(CUT_OFF);
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
          if (read < MAX_KEPT) kept.push(chunk);
          read += chunk.length;
          if (read >= MAX_READ) cutOff();
        },
        onResponseEnd: finish,
        onResponseError(_controller, error) {
          if (over) return;
          if (outcome.kind !== "responded") outcome = classify(error);
          finish();
        },
      },
    );
  });
}

const CUT_OFF = new Error("cut off");

const classify = (error: Error): Outcome =>
  error instanceof ConnectError
    ? { kind: error.kind, error: error.message }
    : { kind: "refused", error: (error as NodeJS.ErrnoException).code ?? error.message };
