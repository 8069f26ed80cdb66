import type { Runtime } from "../../app/runtime.ts";
import type { HttpResponse, RequestContext } from "../../http/pipeline/request-context.ts";
import { UNKNOWN_PATH } from "../../http/pipeline/route.ts";
import type { RequestWatch } from "../../http/pipeline/request-watch.ts";
import type { SeenRequest, SeenRequests } from "./request-schema.ts";

/** The maximum number of requests that are kept until `requests tail` reads them. */
const MAX_REQUESTS = 1000;
/** How long requests are kept after the last call that asked for them. */
const WATCHED_MS = 60_000;

/** The lowest HTTP status of an error. */
const FIRST_ERROR = 400;

/**
 * Keeps the last requests while somebody asks for them. Recording begins with the first call of
 * `read`, and ends a minute after the last.
 */
export class Tail {
  readonly #rt: Runtime;
  readonly #waiting = new Set<() => void>();
  #watch: RequestWatch | undefined;
  #requests: SeenRequest[] = [];
  #startedAt = 0;
  /** The number of requests that were recorded since `#startedAt`. */
  #count = 0;
  #stopTimer: NodeJS.Timeout | undefined;

  constructor(rt: Runtime) {
    this.#rt = rt;
  }

  /**
   * Returns the requests after a cursor. The list begins with the next request if there is no
   * cursor, or if the cursor is of an earlier start of the recording.
   * @param waitMs how long to wait for a request if there is none yet
   */
  async read(
    watch: RequestWatch,
    after: string | undefined,
    waitMs: number,
    disconnected: AbortSignal,
  ): Promise<SeenRequests> {
    this.#start(watch);
    // Each start of the recording counts from 0. A cursor has the time of its start and a count.
    const [startedAt, count] = (after ?? "").split(".").map(Number);
    const from = startedAt === this.#startedAt && count !== undefined ? count : this.#count;
    if (from >= this.#count && waitMs > 0) await this.#waitForRequest(waitMs, disconnected);
    const droppedCount = this.#count - this.#requests.length;
    const missed = Math.max(0, droppedCount - from);
    return {
      requests: this.#requests.slice(Math.max(0, from - droppedCount)),
      cursor: `${this.#startedAt}.${this.#count}`,
      missed,
    };
  }

  stop(): void {
    clearTimeout(this.#stopTimer);
    if (this.#watch) this.#watch.onResponse = null;
    this.#watch = undefined;
    this.#requests = [];
    this.#wake();
  }

  #start(watch: RequestWatch): void {
    if (this.#watch === undefined) {
      this.#watch = watch;
      // Each start needs a time of its own, so that its cursors differ from those of other starts.
      this.#startedAt = Math.max(this.#rt.now(), this.#startedAt + 1);
      this.#count = 0;
      watch.onResponse = (...seen) => this.#record(...seen);
    }
    clearTimeout(this.#stopTimer);
    this.#stopTimer = setTimeout(() => this.stop(), WATCHED_MS).unref();
  }

  #record(routePath: string, context: RequestContext, response: HttpResponse): void {
    // Health checks and requests for metrics or for this list do not come from partners, so they
    // are left out.
    if (!isOfPartners(routePath)) return;
    if (this.#requests.length >= MAX_REQUESTS) this.#requests.shift();
    this.#requests.push(describeRequest(this.#rt, routePath, context, response));
    this.#count += 1;
    this.#wake();
  }

  #waitForRequest(waitMs: number, disconnected: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        disconnected.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      disconnected.addEventListener("abort", done);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }
}

/** Returns whether a path is one that partners request: a route of the API, or no route at all. */
const isOfPartners = (path: string): boolean =>
  path.startsWith("/v1/") || path === UNKNOWN_PATH.path;

function describeRequest(
  rt: Runtime,
  path: string,
  { request, keyId, now, startedAt }: RequestContext,
  response: HttpResponse,
): SeenRequest {
  const key = keyId === null ? undefined : rt.store.keys.findById(keyId);
  const slug = request.params["slug"];
  const business = slug === undefined ? undefined : rt.store.businesses.findBySlug(slug);
  return {
    at: new Date(now).toISOString(),
    method: request.method,
    route: path,
    // A slug that no business has is left out: a stranger may have written anything there.
    business: business?.slug ?? null,
    key: key === undefined ? null : { id: key.id, name: key.name },
    status: response.status,
    code: response.status < FIRST_ERROR ? null : codeOf(response),
    durationMs: Math.round((rt.monotonic() - startedAt) * 100) / 100,
  };
}

/** Returns the code of a problem; null for any other body. */
function codeOf({ body }: HttpResponse): string | null {
  try {
    const { code } = JSON.parse(body?.toString() ?? "{}") as { code?: unknown };
    return typeof code === "string" ? code : null;
  } catch {
    return null;
  }
}
