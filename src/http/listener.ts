import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Answering, Place } from "./answering.ts";
import type { Answer, Asked } from "./call.ts";

export type Listener = (req: IncomingMessage, res: ServerResponse) => void;

const PREFIX = "/v1/businesses/";
const PATTERN = `${PREFIX}:slug/`;

/**
 * Answers the GETs whose address needs no more than to be cut apart, and leaves everything else to `router`. Both take the
 * same path to an answer; this one saves the making of a Request, a URL and a Response, which is most of the work.
 */
export function createListener(places: readonly Place[], { answer }: Answering, router: Listener): Listener {
  const direct = new Map(
    places
      .filter(
        ({ path, byMethod }) => path.startsWith(PATTERN) && !path.includes(":", PATTERN.length) && byMethod.has("GET"),
      )
      .map((place) => [place.path.slice(PATTERN.length), place]),
  );
  return (req, res) => {
    const url = req.url ?? "";
    const slugEnd = req.method === "GET" && url.startsWith(PREFIX) ? url.indexOf("/", PREFIX.length) : -1;
    if (slugEnd === -1) return router(req, res);
    const query = url.indexOf("?", slugEnd);
    const pathEnd = query === -1 ? url.length : query;
    const slug = url.slice(PREFIX.length, slugEnd);
    const place = direct.get(url.slice(slugEnd + 1, pathEnd));
    // What is percent-encoded is read in one place.
    if (place === undefined || slug.includes("%")) return router(req, res);
    const handled = answer(place, new DirectRequest(req, res, slug, pathEnd));
    if (handled instanceof Promise) void handled.then((answered) => write(res, answered));
    else write(res, handled);
  };
}

/** With methods on a prototype: closures would cost every request. */
class DirectRequest implements Asked {
  readonly method = "GET";
  readonly params: { slug: string };
  readonly path: string;
  readonly search: string;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;

  constructor(req: IncomingMessage, res: ServerResponse, slug: string, pathEnd: number) {
    const url = req.url as string;
    this.params = { slug };
    this.path = url.slice(0, pathEnd);
    this.search = pathEnd + 1 >= url.length ? "" : url.slice(pathEnd);
    this.#req = req;
    this.#res = res;
  }

  get sent(): IncomingHttpHeaders {
    return this.#req.headers;
  }

  get connection(): object {
    return this.#req.socket;
  }

  get peer(): string {
    return this.#req.socket.remoteAddress ?? "";
  }

  body(): null {
    return null;
  }

  gone(): AbortSignal {
    const hungUp = new AbortController();
    this.#res.once("close", () => hungUp.abort());
    return hungUp.signal;
  }
}

function write(res: ServerResponse, { status, headers, body }: Answer): void {
  res.writeHead(status, headers);
  res.end(body);
}
