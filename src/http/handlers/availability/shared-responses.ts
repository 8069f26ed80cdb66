import { BoundedCache } from "../../../domain/bounded-cache.ts";
import { AppError } from "../../../domain/errors.ts";
import { createHashedResponse, type CachedResponse } from "../../pipeline/cached-response.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";

const MAX_ENTRIES = 200;
/** Larger responses are not kept. */
const MAX_ENTRY_BYTES = 256 * 1024;

type ResponseRequest = {
  /** The same for requests with the same response, as long as the state is the same. */
  id: string;
  /** The state that the response depends on. */
  state: string;
  cacheControl: string;
  build: (signal: AbortSignal) => Promise<Buffer>;
};

type SharedResponse = {
  state: string;
  response: Promise<CachedResponse>;
  /** Clients that wait for it. */
  waiting: number;
  abort: () => void;
};

/**
 * Caches responses that are expensive to build. Concurrent requests for the same one share a build,
 * which is aborted when the last of their clients disconnects.
 */
export function createSharedResponses(): (
  context: RequestContext,
  request: ResponseRequest,
) => Promise<HttpResponse> {
  const cache = new BoundedCache<string, SharedResponse>(MAX_ENTRIES);

  const startBuild = ({ id, state, cacheControl, build }: ResponseRequest): SharedResponse => {
    const controller = new AbortController();
    const body = build(controller.signal);
    const remove = () => {
      if (cache.get(id) === shared) cache.delete(id);
    };
    const shared: SharedResponse = {
      state,
      response: body.then((bytes) =>
        createHashedResponse(
          bytes,
          ["cache-control", cacheControl],
          ["content-type", "application/json"],
        ),
      ),
      waiting: 0,
      abort() {
        remove();
        controller.abort(new AppError("busy", "All clients of this response have disconnected."));
      },
    };
    cache.set(id, shared);
    body.then(({ length }) => length > MAX_ENTRY_BYTES && remove(), remove);
    return shared;
  };

  return async (context, request) => {
    const cached = cache.get(request.id);
    const shared = cached?.state === request.state ? cached : startBuild(request);
    const response = await join(shared, context.request.disconnected());
    return response.respond(context);
  };
}

/** Waits for a response; aborts its build if the client disconnects and no other client waits. */
async function join(shared: SharedResponse, disconnected: AbortSignal): Promise<CachedResponse> {
  const leave = () => {
    shared.waiting -= 1;
    if (shared.waiting === 0) shared.abort();
  };
  shared.waiting += 1;
  disconnected.addEventListener("abort", leave);
  try {
    return await shared.response;
  } finally {
    disconnected.removeEventListener("abort", leave);
  }
}
