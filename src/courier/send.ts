import { Agent, type Dispatcher } from "undici";
import { cacheResolve, type Resolve, resolveName } from "../app/resolve.ts";
import { type Allowances, parseTarget } from "../domain/safe-url.ts";
import type { Outcome } from "../domain/settle.ts";
import { ConnectFailure, createConnector } from "./connect.ts";

export type Post = {
  url: string;
  /** The operator's word for this endpoint. */
  trusted: boolean;
  headers: Record<string, string>;
  body: Buffer;
};

/** One POST. Never throws: the outside world failing is a value. */
export type Send = (post: Post) => Promise<Outcome>;

export type Sender = { send: Send; close: () => Promise<void> };

const DEADLINE_MS = 10_000;
/** Of a longer body the rest stays unread. */
const MAX_READ = 16 * 1024;
const MAX_KEPT = 4 * 1024;

export function createSender(
  lab: Omit<Allowances, "trusted">,
  now: () => number,
  { resolve = resolveName, deadlineMs = DEADLINE_MS }: { resolve?: Resolve; deadlineMs?: number } = {},
): Sender {
  const cached = cacheResolve(resolve, now);
  // A pool each: a stranger's endpoint must not find a connection that was opened for a trusted one.
  const createRoute = (trusted: boolean) => {
    const allowances = { ...lab, trusted };
    // undici's own timeouts do not bound a delivery; the deadline does.
    const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };
    return { allowances, agent: new Agent({ connect: createConnector(cached, allowances), ...limits }) };
  };
  const strangers = createRoute(false);
  const trusted = createRoute(true);

  return {
    async send(post) {
      const { allowances, agent } = post.trusted ? trusted : strangers;
      const target = parseTarget(post.url, allowances);
      if ("refused" in target) return { kind: "blocked", error: target.refused };
      return dispatch(agent, target.url, post, deadlineMs);
    },
    async close() {
      await Promise.all([strangers.agent.destroy(), trusted.agent.destroy()]);
    },
  };
}

/** Status and headers decide; the body is only a log, so that whatever becomes of it changes nothing. */
function dispatch(agent: Agent, url: URL, { headers, body }: Post, deadlineMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    // What it is if nothing more comes.
    let outcome: Outcome = { kind: "timed_out", error: `no answer within ${deadlineMs / 1000} s` };
    let over = false;
    let request: Dispatcher.DispatchController | undefined;
    const kept: Buffer[] = [];
    let read = 0;

    const finish = () => {
      over = true;
      clearTimeout(timer);
      const responseText = Buffer.concat(kept).subarray(0, MAX_KEPT).toString();
      resolve(outcome.kind === "responded" ? { ...outcome, responseText } : outcome);
    };
    const cutOff = () => {
      finish();
      request?.abort(CUT_OFF);
    };
    const timer = setTimeout(cutOff, deadlineMs);

    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: "POST", headers, body },
      {
        onRequestStart(controller) {
          request = controller;
          // The deadline passed while it waited for its connection.
          if (over) controller.abort(CUT_OFF);
        },
        onResponseStart(_controller, statusCode, { "retry-after": retryAfter }) {
          if (statusCode >= 200)
            outcome = { kind: "responded", statusCode, retryAfter: [retryAfter].flat()[0] ?? null, responseText: "" };
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
  error instanceof ConnectFailure
    ? { kind: error.kind, error: error.message }
    : { kind: "refused", error: (error as NodeJS.ErrnoException).code ?? error.message };
