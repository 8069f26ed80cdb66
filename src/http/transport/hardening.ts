import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Runtime } from "../../app/runtime.ts";
import { API_VERSION } from "../pipeline/pipeline.ts";
import { MAX_BODY_BYTES } from "../pipeline/body.ts";
import { limitConnections } from "./connection-limit.ts";
import type { Listener } from "./listener.ts";
import { HTTP_STATUS, type HttpCode, problemBody } from "../pipeline/problems.ts";
import { disconnectSlowReaders } from "./slow-readers.ts";

// What RFC 9112 asks of a server beyond what Node does: whatever could be read in two ways is refused, and the connection ends.

const HEADERS_TIMEOUT_MS = 5000;
const REQUEST_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 1000;

// A host as RFC 3986 has it, with a port; empty where the target has none.
const HOST = /^(\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(:\d{0,5})?$/i;
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\dA-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/;

type Fault = { status: number; code: HttpCode; detail: string };

const fault = (code: HttpCode, detail: string): Fault => ({
  status: HTTP_STATUS[code],
  code,
  detail,
});
const malformed = (detail: string): Fault => fault("malformed_request", detail);
const GARBLED = malformed("This is not HTTP as RFC 9112 has it.");
const OTHER_VERSION = fault("version_not_supported", "Only HTTP/1.1 and 1.0 are spoken here.");

/** Puts `listener` behind what keeps a server on the open net standing. */
export function hardenServer(server: Server, rt: Runtime, listener: Listener): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  // Node reads this when it begins to listen, and listhen leaves no moment before: begin once more.
  Object.assign(server, {
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    requireHostHeader: false,
  });
  server.emit("listening");
  limitConnections(server, rt.config.http.trustedProxies);
  disconnectSlowReaders(server);

  const judge: Listener = (req, res) => {
    const found = findFault(req);
    if (found) refuse(res, found, rt.newId("req"));
    else listener(req, res);
  };
  // In place of what listhen adds: it notes at every request which sockets are idle, which Node knows by itself.
  server.removeAllListeners("request").on("request", judge);
  server.on("checkExpectation", judge);
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => {
    // Who would send too much is told before it does.
    if (!(Number(req.headers["content-length"]) > MAX_BODY_BYTES)) res.writeContinue();
    judge(req, res);
  });
  server.on("connect", (_req: IncomingMessage, socket: Socket) => {
    socket.end(onTheWire(fault("not_implemented", "This is no proxy."), rt.newId("req")));
  });
  const garbled = new WeakSet<Socket>();
  server.on("clientError", (error: ParseError, socket: AnsweringSocket) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    // Whatever follows what was not understood is not understood either.
    if (garbled.has(socket)) return;
    garbled.add(socket);
    afterAnswers(socket, () => socket.end(onTheWire(explainParseError(error), rt.newId("req"))));
  });
}

/** Node keeps there whose turn it is to be answered, and looks there itself when nobody listens to clientError. */
type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null };

/** What was understood is answered before what was not: each answer in its place. What came in half is what was not. */
function afterAnswers(socket: AnsweringSocket, refuseRest: () => void): void {
  const answering = socket["_httpMessage"];
  if (answering?.req.complete) answering.once("close", () => afterAnswers(socket, refuseRest));
  else if (socket.writable) refuseRest();
}

function findFault({
  rawHeaders,
  headers,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): Fault | undefined {
  if (httpVersionMajor !== 1) return OTHER_VERSION;
  let hosts = 0;
  let keys = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === "authorization") keys += 1;
  }
  if (hosts > 1) return malformed("There is more than one Host.");
  if (hosts === 0 && httpVersionMinor === 1) return malformed("Host is missing.");
  if (headers.host !== undefined && !HOST.test(headers.host)) return malformed("Host is no host.");
  // A proxy on the way may have read the other one.
  if (keys > 1) return malformed("There is more than one Authorization.");
  const encoding = headers["transfer-encoding"];
  if (encoding === undefined) return undefined;
  if (httpVersionMinor === 0) return malformed("HTTP/1.0 has no Transfer-Encoding.");
  return encoding.toLowerCase() === "chunked"
    ? undefined
    : fault("not_implemented", "No Transfer-Encoding but chunked is understood.");
}

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string };

function explainParseError({ code, reason, rawPacket }: ParseError): Fault {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return fault("headers_too_large", "Address and headers may have 16 KiB at most.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return fault("request_timeout", "The request took too long to arrive.");
    case "HPE_INVALID_VERSION":
    case "HPE_PAUSED_H2_UPGRADE":
      // The same code is given for a line that ends wrong after a good version.
      return reason?.startsWith("Expected") ? GARBLED : OTHER_VERSION;
    case "HPE_INVALID_METHOD":
      if (rawPacket && REQUEST_LINE.test(rawPacket.toString("latin1", 0, 8192)))
        return fault("not_implemented", "There is no such method.");
  }
  return GARBLED;
}

function refuse(res: ServerResponse, { status, ...told }: Fault, requestId: string): void {
  const body = problemBody({ status, ...told, issues: [], headers: [] }, requestId);
  res.writeHead(status, headersOf(body, requestId));
  res.end(body);
}

/** For a socket on which no request was made out. */
function onTheWire({ status, ...told }: Fault, requestId: string): string {
  const body = problemBody({ status, ...told, issues: [], headers: [] }, requestId);
  const headers = Object.entries(headersOf(body, requestId)).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, "", body].join("\r\n");
}

const headersOf = (body: string, requestId: string): Record<string, string> => ({
  "Content-Type": "application/problem+json",
  "Content-Length": String(Buffer.byteLength(body)),
  "Request-Id": requestId,
  "API-Version": API_VERSION,
  "Cache-Control": "no-store",
  Connection: "close",
});
