import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Pipeline, RoutePath } from "../pipeline/pipeline.ts";
import type { HttpResponse, HttpRequest } from "../pipeline/request-context.ts";
import type { Router } from "../pipeline/router.ts";

export type Listener = (req: IncomingMessage, res: ServerResponse) => void;

const PREFIX = "/v1/businesses/";
const PATTERN = `${PREFIX}:slug/`;
const isOfBusiness = (path: string): boolean => path.startsWith(PATTERN);

/**
 * Answers the GETs whose address needs no more than to be cut apart, and leaves everything else to the router. Both take the
 * same path to an answer; this one saves the making of a Request, a URL and a Response, which is most of the work.
 */
export function createListener(
  places: readonly RoutePath[],
  { handle, reject }: Pipeline,
  loadRouter: () => Promise<Router>,
): Listener {
  const direct = places.filter(
    ({ path, byMethod }) =>
      byMethod.has("GET") && !path.slice(isOfBusiness(path) ? PATTERN.length : 0).includes(":"),
  );
  const ofBusiness = new Map(
    direct
      .filter(({ path }) => isOfBusiness(path))
      .map((place) => [place.path.slice(PATTERN.length), place]),
  );
  const others = new Map(
    direct.filter(({ path }) => !isOfBusiness(path)).map((place) => [place.path, place]),
  );
  const locate = (url: string): Address => {
    const slugEnd = url.startsWith(PREFIX) ? url.indexOf("/", PREFIX.length) : -1;
    const query = url.indexOf("?", slugEnd + 1);
    const path = query === -1 ? url : url.slice(0, query);
    const search = query === -1 || query + 1 === url.length ? "" : url.slice(query);
    const slug = slugEnd === -1 ? "" : url.slice(PREFIX.length, slugEnd);
    const place = slugEnd === -1 ? others.get(path) : ofBusiness.get(path.slice(slugEnd + 1));
    // What is percent-encoded is read in one place.
    return { url, path, search, params: { slug }, place: slug.includes("%") ? undefined : place };
  };

  // It cannot be loaded once somebody has replaced the files under the daemon.
  const route = (req: IncomingMessage, res: ServerResponse, address: Address): void =>
    void loadRouter().then(
      ({ listener }) => listener(req, res),
      (error) => write(res, reject(new DirectRequest(req, res, address), error)),
    );
  // Most ask what was asked just before.
  let last = locate("");
  return (req, res) => {
    const url = req.url ?? "";
    const address = url === last.url ? last : (last = locate(url));
    if (address.place === undefined || req.method !== "GET") return route(req, res, address);
    const handled = handle(address.place, new DirectRequest(req, res, address));
    if (handled instanceof Promise) void handled.then((answered) => write(res, answered));
    else write(res, handled);
  };
}

/** An address cut apart, and the place that it names where no router is needed to find it. */
type Address = Pick<HttpRequest, "path" | "search" | "params"> & {
  url: string;
  place: RoutePath | undefined;
};

/** With methods on a prototype: closures would cost every request. */
class DirectRequest implements HttpRequest {
  readonly params: HttpRequest["params"];
  readonly path: string;
  readonly search: string;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;

  constructor(req: IncomingMessage, res: ServerResponse, { params, path, search }: Address) {
    this.params = params;
    this.path = path;
    this.search = search;
    this.#req = req;
    this.#res = res;
  }

  get method(): string {
    return this.#req.method as string;
  }

  get headers(): IncomingHttpHeaders {
    return this.#req.headers;
  }

  get connection(): object {
    return this.#req.socket;
  }

  get peerAddress(): string {
    return this.#req.socket.remoteAddress ?? "";
  }

  body(): null {
    return null;
  }

  disconnected(): AbortSignal {
    const hungUp = new AbortController();
    this.#res.once("close", () => hungUp.abort());
    return hungUp.signal;
  }
}

function write(res: ServerResponse, { status, headers, body }: HttpResponse): void {
  res.writeHead(status, headers);
  res.end(body);
}
