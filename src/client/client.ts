import { OPERATIONS } from "./generated/operations.ts";
import { type Received, send, type SendOptions } from "./send.ts";
import type { DeskbellClient, ResponseInfo } from "./types.ts";

export type ClientOptions = {
  /**
   * The address of the server, such as `https://desk.example`, including the path below which a
   * proxy serves deskbell.
   */
  baseUrl: string;
  /** The slug of the business. */
  business: string;
  /** An API key of the business. The operation `getAvailability` alone needs none. */
  key?: string | undefined;
  /** Sends the requests; by default the global `fetch`. */
  fetch?: typeof fetch | undefined;
} & Partial<Omit<SendOptions, "fetch">>;

type Values = Record<string, unknown>;
type Page = Values & { page?: { hasMore: boolean; nextCursor: string | null }; data?: unknown };
type Call = (args?: Values) => Promise<Page & ResponseInfo>;

/** The arguments that are sent as headers. */
const HEADERS: Readonly<Record<string, string>> = {
  idempotencyKey: "idempotency-key",
  ifMatch: "if-match",
  visitorId: "visitor-id",
};

/** The arguments that are neither parameters nor headers. */
const OWN_ARGUMENTS = ["body", "signal", "previous"];

/** Returns a client of one business. It sends nothing until a method is called. */
export function createClient(options: ClientOptions): DeskbellClient {
  const base = `${options.baseUrl.replace(/\/+$/, "")}/v1/businesses/${encodeURIComponent(options.business)}`;
  const sending: SendOptions = {
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    retries: options.retries ?? 3,
    maxWaitSeconds: options.maxWaitSeconds ?? 60,
    timeoutSeconds: options.timeoutSeconds ?? 60,
  };
  const client: Record<string, unknown> = {};
  for (const [id, [method, path, takesIdempotencyKey]] of Object.entries(OPERATIONS)) {
    const call: Call = async (args = {}) => {
      const previous = args["previous"] as ResponseInfo | undefined;
      const { url, headers, body } = prepare(base + path, args, takesIdempotencyKey);
      if (options.key !== undefined) headers["authorization"] = `Bearer ${options.key}`;
      if (previous?.etag) headers["if-none-match"] = previous.etag;
      const isRepeatable = method !== "PATCH" && (method !== "POST" || takesIdempotencyKey);
      const signal = args["signal"] as AbortSignal | undefined;
      const request = { method, url, headers, body, isRepeatable, signal };
      return toResult(await send(request, sending), previous);
    };
    client[id] = (args?: Values) => {
      const first = call(args);
      const iterate = () => iteratePages(first, call, args ?? {}, id === "listChanges");
      return Object.assign(first, { [Symbol.asyncIterator]: iterate });
    };
  }
  return client as DeskbellClient;
}

function prepare(pattern: string, args: Values, takesIdempotencyKey: boolean) {
  const headers: Record<string, string> = { accept: "application/json" };
  const query: string[] = [];
  const inPath = new Set<string>();
  const url = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    // An empty ID would call the list instead.
    if (args[name] === undefined || args[name] === "") throw new TypeError(`'${name}' is missing.`);
    return encodeURIComponent(String(args[name]));
  });
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || inPath.has(name) || OWN_ARGUMENTS.includes(name)) continue;
    const header = HEADERS[name];
    if (header !== undefined) headers[header] = String(value);
    else query.push(`${name}=${[value].flat().map(encode).join(",")}`);
  }
  if (takesIdempotencyKey) headers["idempotency-key"] ??= crypto.randomUUID();
  // Most routes with an Idempotency-Key require JSON, so an empty object stands for no body.
  const content = args["body"] ?? (takesIdempotencyKey ? {} : undefined);
  if (content !== undefined) headers["content-type"] = "application/json";
  return {
    url: query.length === 0 ? url : `${url}?${query.join("&")}`,
    headers,
    body: content === undefined ? undefined : JSON.stringify(content),
  };
}

const encode = (value: unknown): string => encodeURIComponent(String(value));

function toResult({ status, headers, body }: Received, previous: object | undefined) {
  const info = { status, headers, etag: headers.get("etag") };
  return status === 304 ? { ...previous, ...info } : { ...(body as Page | undefined), ...info };
}

/** Yields the objects of a list. The cursor of the feed is called `after`. */
async function* iteratePages(
  first: Promise<Page & ResponseInfo>,
  call: Call,
  args: Values,
  isFeed: boolean,
): AsyncGenerator {
  let { data, page } = await first;
  for (;;) {
    yield* data as unknown[];
    if (!page?.hasMore) return;
    const { nextCursor } = page;
    // The API refuses a request that has both `since` and a cursor of the feed.
    const cursor = isFeed ? { after: nextCursor, since: undefined } : { cursor: nextCursor };
    ({ data, page } = await call({ ...args, previous: undefined, ...cursor }));
  }
}
