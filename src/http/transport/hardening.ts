import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Runtime } from "../../app/runtime.ts";
import { rememberLast } from "../../domain/remember-last.ts";
import { API_VERSION } from "../pipeline/pipeline.ts";
import { createProblem, type Problem, problemBody } from "../pipeline/problems.ts";
import { MAX_BODY_BYTES } from "../pipeline/request-context.ts";
import {
  disconnectSlowReaders,
  endConnection,
  type RespondingSocket,
} from "./connection-limits.ts";

// This file makes the checks of RFC 9112 that Node leaves out. A request that two servers could
// read differently is rejected, and its connection is closed.

const HEADERS_TIMEOUT_MS = 5000;
const REQUEST_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 1000;

/** The Host header: a host with an optional port (RFC 3986), or empty. */
const HOST = /^(\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(:\d{0,5})?$/i;
const isHost = rememberLast((host) => HOST.test(host));
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\dA-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/;

const malformed = (detail: string): Problem => createProblem("malformed_request", detail);
const NOT_HTTP = malformed("The request is not valid HTTP (RFC 9112).");
const UNSUPPORTED_VERSION = createProblem(
  "version_not_supported",
  "Only HTTP/1.1 and HTTP/1.0 are supported.",
);

export function hardenServer(server: Server, rt: Runtime, listener: RequestListener): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  // Node reads these options in its "listening" handler. The event was emitted before they were
  // set, so it is emitted again.
  Object.assign(server, {
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    requireHostHeader: false,
  });
  server.emit("listening");
  disconnectSlowReaders(server);

  const checkedListener: RequestListener = (req, res) => {
    const error = findProtocolError(req);
    if (error) respondWithError(rt, res, error);
    else listener(req, res);
  };
  // The checked listener replaces listhen's, which tracks idle sockets although Node does so
  // itself.
  server.removeAllListeners("request").on("request", checkedListener);
  server.on("checkExpectation", checkedListener);
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => {
    // A client whose Content-Length is too large gets no 100 (Continue), so that it gets the error
    // before it sends the body.
    if (!(Number(req.headers["content-length"]) > MAX_BODY_BYTES)) res.writeContinue();
    checkedListener(req, res);
  });
  server.on("connect", (_req: IncomingMessage, socket: Socket) => {
    const error = createProblem("not_implemented", "CONNECT is not supported.");
    endConnection(socket, toRawResponse(rt, error));
  });
  const hasJustResumed = watchForStalls(server, rt);
  const rejected = new WeakSet<Socket>();
  server.on("clientError", (error: ParseError, socket: RespondingSocket) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    // Data after a malformed request is not parsed, so it gets no response.
    if (rejected.has(socket)) return;
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && hasJustResumed())
      return callUnlessRead(socket, () => server.emit("clientError", error, socket));
    rejected.add(socket);
    afterResponses(socket, () => endConnection(socket, toRawResponse(rt, toProtocolError(error))));
  });
}

/** A longer time between two checks shows that the process did not run. */
const STALL_MS = 3 * TIMEOUT_CHECK_MS;

/**
 * Returns a function that tells whether the process has just resumed after it was stopped,
 * suspended or too busy.
 */
function watchForStalls(server: Server, rt: Runtime): () => boolean {
  let lastAt = rt.monotonic();
  let resumedAt = -Infinity;
  const check = (): number => {
    const now = rt.monotonic();
    if (now - lastAt > STALL_MS) resumedAt = now;
    return (lastAt = now);
  };
  const timer = setInterval(check, TIMEOUT_CHECK_MS).unref();
  server.once("close", () => clearInterval(timer));
  // The result stays true for less time than `callUnlessRead` waits, so a timeout is put off only
  // once.
  return () => check() - resumedAt < TIMEOUT_CHECK_MS / 2;
}

/**
 * Calls `onLate` one check later, unless the rest of the request has been read by then. The rest
 * may have arrived while the process stood still.
 */
function callUnlessRead(socket: RespondingSocket, onLate: () => void): void {
  const written = socket.bytesWritten;
  const timer = setTimeout(() => {
    const isRead = socket["_httpMessage"]?.req.complete === true || socket.bytesWritten > written;
    if (!isRead) onLate();
  }, TIMEOUT_CHECK_MS);
  socket.once("close", () => clearTimeout(timer));
}

/**
 * Sends an error after the responses to earlier, pipelined requests. The error is about the request
 * that has not arrived in full, so no response to that request is awaited.
 */
function afterResponses(socket: RespondingSocket, sendError: () => void): void {
  const current = socket["_httpMessage"];
  if (current?.req.complete) current.once("close", () => afterResponses(socket, sendError));
  else if (socket.writable) sendError();
}

function findProtocolError({
  rawHeaders,
  headers,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): Problem | undefined {
  if (httpVersionMajor !== 1) return UNSUPPORTED_VERSION;
  let hostHeaders = 0;
  let keyHeaders = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hostHeaders += 1;
    else if (name.length === 13 && name.toLowerCase() === "authorization") keyHeaders += 1;
  }
  if (hostHeaders > 1) return malformed("The request has more than one Host header.");
  if (hostHeaders === 0 && httpVersionMinor === 1) return malformed("The Host header is missing.");
  if (headers.host !== undefined && !isHost(headers.host))
    return malformed("Invalid Host header: expected a host with an optional port.");
  // A proxy may have authorized the request by another Authorization header than the one that Node
  // uses.
  if (keyHeaders > 1) return malformed("The request has more than one Authorization header.");
  const encoding = headers["transfer-encoding"];
  if (encoding === undefined) return undefined;
  if (httpVersionMinor === 0) return malformed("HTTP/1.0 does not support Transfer-Encoding.");
  return encoding.toLowerCase() === "chunked"
    ? undefined
    : createProblem("not_implemented", "The only supported Transfer-Encoding is chunked.");
}

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string };

function toProtocolError({ code, reason, rawPacket }: ParseError): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return createProblem("headers_too_large", "URL and headers are larger than 16 KiB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return createProblem("request_timeout", "The request took too long to arrive.");
    case "HPE_INVALID_VERSION":
    case "HPE_PAUSED_H2_UPGRADE":
      // A wrong line ending after a supported version has this code, too.
      return reason?.startsWith("Expected") ? NOT_HTTP : UNSUPPORTED_VERSION;
    case "HPE_INVALID_METHOD":
      if (rawPacket && REQUEST_LINE.test(rawPacket.toString("latin1", 0, 8192)))
        return createProblem("not_implemented", "Unknown request method.");
  }
  return NOT_HTTP;
}

function respondWithError(rt: Runtime, res: ServerResponse, problem: Problem): void {
  const requestId = rt.newId("req");
  const body = problemBody(problem, requestId, rt.config.http.publicUrl);
  res.writeHead(problem.status, createHeaders(body, requestId));
  res.end(body);
}

function toRawResponse(rt: Runtime, problem: Problem): string {
  const requestId = rt.newId("req");
  const body = problemBody(problem, requestId, rt.config.http.publicUrl);
  const headers = Object.entries(createHeaders(body, requestId)).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const { status } = problem;
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, "", body].join("\r\n");
}

const createHeaders = (body: string, requestId: string): Record<string, string> => ({
  "Content-Type": "application/problem+json",
  "X-Content-Type-Options": "nosniff",
  "Content-Language": "en",
  "Content-Length": String(Buffer.byteLength(body)),
  "Request-Id": requestId,
  "API-Version": API_VERSION,
  "Cache-Control": "no-store",
  Connection: "close",
});
