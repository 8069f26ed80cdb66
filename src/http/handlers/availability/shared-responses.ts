import type { YieldToEventLoop } from "../../../app/availability/yield-to-event-loop.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";
import type { RequestClient } from "../../auth/client-address.ts";
import { createHashedResponse, type CachedResponse } from "../../pipeline/cached-response.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { Scan, ScanQueue } from "./scan-queue.ts";

const MAX_ENTRIES = 200;
/** Larger responses are not kept. */
const MAX_ENTRY_BYTES = 256 * 1024;

type ResponseRequest = {
  /** Requests with equal IDs have one response, as long as the state stays. */
  id: string;
  /** The state that the response depends on. */
  state: string;
  client: RequestClient;
  cacheControl: string;
  build: (yieldToEventLoop: YieldToEventLoop) => Promise<Buffer>;
};

type SharedResponse = {
  state: string;
  scan: Scan<CachedResponse>;
  /** Undefined until it is built. */
  response: CachedResponse | undefined;
};

/**
 * Caches responses that are expensive to build. Concurrent requests for the same one share a scan,
 * which ends when the last of their clients disconnects.
 */
export function createSharedResponses(
  scanQueue: ScanQueue,
): (context: RequestContext, request: ResponseRequest) => Promise<HttpResponse> {
  const cache = new BoundedCache<string, SharedResponse>(MAX_ENTRIES);

  const startBuild = ({ id, state, cacheControl, build }: ResponseRequest): SharedResponse => {
    const remove = () => {
      if (cache.get(id) === shared) cache.delete(id);
    };
    const scan = scanQueue.add(async (yieldToEventLoop) => {
      try {
        const bytes = await build(yieldToEventLoop);
        if (bytes.length > MAX_ENTRY_BYTES) remove();
        return (shared.response = createHashedResponse(
          bytes,
          ["cache-control", cacheControl],
          ["content-type", "application/json"],
        ));
      } catch (error) {
        remove();
        throw error;
      }
    });
    const shared: SharedResponse = { state, scan, response: undefined };
    cache.set(id, shared);
    return shared;
  };

  return async (context, request) => {
    const cached = cache.get(request.id);
    const shared = cached?.state === request.state ? cached : startBuild(request);
    const response =
      shared.response ?? (await shared.scan.waitAs(request.client, context.request.disconnected()));
    return response.respond(context);
  };
}
