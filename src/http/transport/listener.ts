import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from "node:http";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type { HttpRequest, HttpResponse } from "../pipeline/request-context.ts";
import type { RoutePath } from "../pipeline/route.ts";
import type { Router } from "../pipeline/router.ts";

/** A path with the slug of a business begins with one of these prefixes, and the slug follows. */
const PREFIXES = ["/v1/businesses/", "/b/"];
const SLUG = /:slug(?=\/|$)/;
const PLAIN_SLUG = /^[\w-]*$/;

/**
 * Returns a listener that handles GET requests whose URL can be split without decoding, and passes
 * other requests to the router. The router has to create a Request, a URL and a Response, which
 * would be most of the work.
 */
export function createListener(
  routePaths: readonly RoutePath[],
  { handle, reject }: Pipeline,
  loadRouter: () => Promise<Router>,
): RequestListener {
  // The map contains only paths that have no parameter but the slug, because these need no
  // decoding.
  const byPath = new Map(
    routePaths
      .filter(({ path, byMethod }) => byMethod.has("GET") && !path.replace(SLUG, "").includes(":"))
      .map((routePath) => [routePath.path, routePath]),
  );
  const split = (url: string): SplitUrl => {
    const queryStart = url.indexOf("?");
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    const isQueryEmpty = queryStart === -1 || queryStart + 1 === url.length;
    const search = isQueryEmpty ? "" : url.slice(queryStart);
    const prefix = PREFIXES.find((candidate) => path.startsWith(candidate));
    // The slug of a path without a prefix is empty.
    const slugStart = prefix?.length ?? path.length;
    const slash = path.indexOf("/", slugStart);
    const slugEnd = slash === -1 ? path.length : slash;
    const slug = path.slice(slugStart, slugEnd);
    const pattern = prefix === undefined ? path : `${prefix}:slug${path.slice(slugEnd)}`;
    return {
      url,
      path,
      search,
      params: { slug },
      routePath: PLAIN_SLUG.test(slug) ? byPath.get(pattern) : undefined,
    };
  };

  // Loading the router fails if the program's files were replaced while it runs.
  const passToRouter = (req: IncomingMessage, res: ServerResponse, splitUrl: SplitUrl): void => {
    // The router builds a URL with the Host. `URL` throws for some hosts that RFC 3986 allows.
    if (!URL.canParse(`http://${req.headers.host}`)) req.headers.host = "";
    void loadRouter()
      .then(({ listener }) => listener(req, res))
      .catch((error) => {
        const rejection = reject(new DirectRequest(req, res, splitUrl), error);
        if (res.headersSent) res.destroy();
        else write(res, rejection);
      });
  };
  // The last result is kept, because consecutive requests are often equal.
  let last = split("");
  return (req, res) => {
    const url = req.url ?? "";
    const splitUrl = url === last.url ? last : (last = split(url));
    if (splitUrl.routePath === undefined || req.method !== "GET")
      return passToRouter(req, res, splitUrl);
    const result = handle(splitUrl.routePath, new DirectRequest(req, res, splitUrl));
    if (result instanceof Promise) void result.then((response) => write(res, response));
    else write(res, result);
  };
}

type SplitUrl = Pick<HttpRequest, "path" | "search" | "params"> & {
  url: string;
  routePath: RoutePath | undefined;
};

/** A request from Node. A class is faster than creating closures for each request. */
class DirectRequest implements HttpRequest {
  readonly params: HttpRequest["params"];
  readonly path: string;
  readonly search: string;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;

  constructor(req: IncomingMessage, res: ServerResponse, { params, path, search }: SplitUrl) {
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
    const controller = new AbortController();
    this.#res.once("close", () => controller.abort());
    return controller.signal;
  }
}

function write(res: ServerResponse, { status, headers, body }: HttpResponse): void {
  res.writeHead(status, headers);
  res.end(body);
}
