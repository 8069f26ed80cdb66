import type { Socket } from "node:net";

/** A way in which a receiver can misbehave, and the outcome that must be recorded. */
export type Fault = {
  name: string;
  outcome: Expected;
  /** Runs on connection, before anything is read. */
  greet?: Behave;
  /** Runs at the first bytes of the request. */
  answer?: Behave;
};

type Behave = (socket: Socket) => void;

/** The status code of the response, or the kind of failure. */
type Expected = number | "timed_out" | "refused";

const OK = "HTTP/1.1 200 OK\r\n";
const NOTHING_MORE = "content-length: 0\r\n\r\n";
const KIB = "x".repeat(1024);

const sends =
  (...parts: (string | Buffer)[]): Behave =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };

const sendsAndEnds =
  (text: string | Buffer): Behave =>
  (socket) =>
    void socket.end(text);

/** Sends a little every few milliseconds until the connection is closed. */
const drips =
  (first: string, next: string, everyMs = 20): Behave =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(next), everyMs);
    socket.once("close", () => clearInterval(timer));
  };

/** Sends without end, as fast as possible. */
const floods =
  (first: string, next: string): Behave =>
  (socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(next));
    };
    socket.on("drain", pour);
    socket.write(first);
    pour();
  };

const sendsAndResets =
  (text: string): Behave =>
  (socket) =>
    void socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 50));

const GZIP_OF_ZEROS = Buffer.concat([
  Buffer.from("1f8b0800000000000003", "hex"),
  Buffer.alloc(12 * 1024, 0xff),
]);

/** Faults that were seen in practice, or that an attacker could easily cause. */
export const FAULTS: readonly Fault[] = [
  // These faults concern how a receiver opens and closes the connection.
  {
    name: "resets immediately",
    outcome: "refused",
    greet: (socket) => void socket.resetAndDestroy(),
  },
  { name: "closes immediately", outcome: "refused", greet: (socket) => void socket.destroy() },
  { name: "half-closes immediately", outcome: "refused", greet: (socket) => void socket.end() },
  {
    name: "resets on the request",
    outcome: "refused",
    answer: (socket) => void socket.resetAndDestroy(),
  },
  { name: "closes on the request", outcome: "refused", answer: (socket) => void socket.destroy() },
  { name: "half-closes on the request", outcome: "refused", answer: (socket) => void socket.end() },
  {
    name: "resets within the status line",
    outcome: "refused",
    answer: sendsAndResets("HTTP/1.1 20"),
  },
  {
    name: "resets within the headers",
    outcome: "refused",
    answer: sendsAndResets(`${OK}content-le`),
  },
  {
    name: "resets after the headers of a 200",
    outcome: 200,
    answer: sendsAndResets(`${OK}content-length: 9\r\n\r\n`),
  },
  {
    name: "resets after the headers of a 500",
    outcome: 500,
    answer: sendsAndResets("HTTP/1.1 500 Oh\r\ncontent-length: 9\r\n\r\n"),
  },
  {
    name: "half-closes after a complete response",
    outcome: 200,
    answer: sendsAndEnds(OK + NOTHING_MORE),
  },
  { name: "never reads", outcome: "timed_out", greet: (socket) => void socket.pause() },
  {
    name: "reads after a pause",
    outcome: 200,
    greet: (socket) => {
      socket.pause();
      setTimeout(() => socket.resume(), 400);
    },
    answer: sends(OK + NOTHING_MORE),
  },

  // These faults concern how fast a receiver responds.
  { name: "never responds", outcome: "timed_out" },
  {
    name: "drips an endless status line",
    outcome: "timed_out",
    answer: drips("HTTP/1.1 200 O", "K"),
  },
  { name: "drips headers endlessly", outcome: "timed_out", answer: drips(OK, "a: b\r\n") },
  {
    name: "drips the body of a 200",
    outcome: 200,
    answer: drips(`${OK}content-length: 99999\r\n\r\n`, "x"),
  },
  {
    name: "drips chunks of a 200",
    outcome: 200,
    answer: drips(`${OK}transfer-encoding: chunked\r\n\r\n`, "1\r\nx\r\n"),
  },
  {
    name: "drips the body of a 500",
    outcome: 500,
    answer: drips("HTTP/1.1 500 Oh\r\ncontent-length: 99999\r\n\r\n", "x"),
  },
  {
    name: "repeats 102 Processing",
    outcome: "timed_out",
    answer: drips("", "HTTP/1.1 102 Processing\r\n\r\n"),
  },
  {
    name: "repeats 100 Continue",
    outcome: "timed_out",
    answer: drips("", "HTTP/1.1 100 Continue\r\n\r\n"),
  },

  // These faults concern how much a receiver sends.
  {
    name: "floods with 102s",
    outcome: "refused",
    answer: floods("", "HTTP/1.1 102 Processing\r\n\r\n".repeat(100)),
  },
  {
    name: "floods with chunks",
    outcome: 200,
    answer: floods(`${OK}transfer-encoding: chunked\r\n\r\n`, `400\r\n${KIB}\r\n`),
  },
  {
    name: "floods with a terabyte",
    outcome: 200,
    answer: floods(`${OK}content-length: 1099511627776\r\n\r\n`, KIB),
  },
  { name: "floods with a body without length", outcome: 200, answer: floods(`${OK}\r\n`, KIB) },
  {
    name: "floods with the body of a 500",
    outcome: 500,
    answer: floods("HTTP/1.1 500 Oh\r\n\r\n", KIB),
  },
  { name: "floods within a header", outcome: "refused", answer: floods(`${OK}a: `, KIB) },
  { name: "floods with headers", outcome: "refused", answer: floods(OK, "a: b\r\n".repeat(100)) },
  {
    name: "floods within the status line",
    outcome: "refused",
    answer: floods("HTTP/1.1 200 ", KIB),
  },
  {
    name: "floods within a chunk's extension",
    outcome: 200,
    answer: floods(`${OK}transfer-encoding: chunked\r\n\r\n1;`, KIB),
  },
  {
    name: "floods with trailers",
    outcome: 200,
    answer: floods(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n`, "a: b\r\n"),
  },
  {
    name: "sends an unsolicited gzip bomb",
    outcome: 200,
    answer: sends(
      `${OK}content-encoding: gzip\r\ncontent-length: ${GZIP_OF_ZEROS.length}\r\n\r\n`,
      GZIP_OF_ZEROS,
    ),
  },

  // These faults concern how a receiver states the length of the body.
  {
    name: "sends less than Content-Length",
    outcome: 200,
    answer: sendsAndEnds(`${OK}content-length: 99\r\n\r\nthanks`),
  },
  {
    name: "sends more than Content-Length",
    outcome: 200,
    answer: sends(`${OK}content-length: 2\r\n\r\nthanks`),
  },
  {
    name: "sends a negative Content-Length",
    outcome: "refused",
    answer: sends(`${OK}content-length: -1\r\n\r\n`),
  },
  {
    name: "sends a Content-Length in words",
    outcome: "refused",
    answer: sends(`${OK}content-length: many\r\n\r\n`),
  },
  {
    name: "sends a Content-Length that overflows",
    outcome: "refused",
    answer: sends(`${OK}content-length: ${"9".repeat(40)}\r\n\r\n`),
  },
  {
    name: "sends two different Content-Lengths",
    outcome: "refused",
    answer: sends(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`),
  },
  {
    name: "sends Content-Length and chunks",
    outcome: "refused",
    answer: sends(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  },
  {
    name: "sends garbage as a chunk size",
    outcome: 200,
    answer: sends(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nhm\r\n`),
  },
  {
    name: "sends a chunk size that overflows",
    outcome: 200,
    answer: sends(`${OK}transfer-encoding: chunked\r\n\r\n${"f".repeat(20)}\r\nhm\r\n`),
  },
  {
    name: "ends within a chunk",
    outcome: 200,
    answer: sendsAndEnds(`${OK}transfer-encoding: chunked\r\n\r\nff\r\nhm`),
  },
  {
    name: "invents a transfer encoding",
    outcome: 200,
    answer: sendsAndEnds(`${OK}transfer-encoding: rot13\r\n\r\nguvf`),
  },
  {
    name: "sends trailers",
    outcome: 200,
    answer: sends(`${OK}transfer-encoding: chunked\r\ntrailer: a\r\n\r\n0\r\na: b\r\n\r\n`),
  },
  {
    name: "sends a body with its 204",
    outcome: 204,
    answer: sends("HTTP/1.1 204 None\r\ncontent-length: 6\r\n\r\nthanks"),
  },

  // These faults concern responses that are not HTTP/1.1, or not well-formed.
  { name: "sends only line ends", outcome: "refused", answer: sendsAndEnds("\r\n\r\n\r\n") },
  { name: "responds in HTTP/0.9", outcome: "refused", answer: sendsAndEnds("<html>thanks</html>") },
  {
    name: "responds in HTTP/1.0",
    outcome: 200,
    answer: sendsAndEnds("HTTP/1.0 200 OK\r\n\r\nthanks"),
  },
  {
    name: "responds in HTTP/9.9",
    outcome: "refused",
    answer: sendsAndEnds(`HTTP/9.9 200 OK\r\n${NOTHING_MORE}`),
  },
  {
    name: "responds in HTTP/2",
    outcome: "refused",
    answer: sendsAndEnds(Buffer.from("00001204000000000000", "hex")),
  },
  {
    name: "responds in TLS",
    outcome: "refused",
    answer: sendsAndEnds(Buffer.from("15030300020228", "hex")),
  },
  {
    name: "speaks SSH",
    outcome: "refused",
    greet: (socket) => void socket.write("SSH-2.0-OpenSSH_9.9\r\n"),
  },
  {
    name: "responds with random bytes",
    outcome: "refused",
    answer: sendsAndEnds(Buffer.from("00ff807f0a0d0d0a1b5b324a", "hex")),
  },
  {
    name: "sends no reason phrase",
    outcome: 200,
    answer: sends(`HTTP/1.1 200\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends a NUL in a header value",
    outcome: "refused",
    answer: sends(`${OK}a: b\0c\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends a NUL in a header name",
    outcome: "refused",
    answer: sends(`${OK}a\0: b\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends a header without a colon",
    outcome: "refused",
    answer: sends(`${OK}thanks\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends a body that is not text",
    outcome: 200,
    answer: sends(`${OK}content-length: 4\r\n\r\n`, Buffer.from("c300ff80", "hex")),
  },

  // These faults concern which status a receiver responds with.
  {
    name: "sends status 999",
    outcome: 999,
    answer: sends(`HTTP/1.1 999 Odd\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends status 000",
    outcome: "refused",
    answer: sends(`HTTP/1.1 000 Odd\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends a status of five digits",
    outcome: "refused",
    answer: sends(`HTTP/1.1 20000 OK\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends a status in words",
    outcome: "refused",
    answer: sends(`HTTP/1.1 FINE\r\n${NOTHING_MORE}`),
  },
  {
    name: "switches protocols",
    outcome: "refused",
    answer: sends("HTTP/1.1 101 Switching\r\nupgrade: tea\r\nconnection: upgrade\r\n\r\n"),
  },
  // An HTTP client ignores a 100 that it has not requested (RFC 9110, 15.2).
  {
    name: "sends 100 Continue first",
    outcome: 200,
    answer: sends(`HTTP/1.1 100 Continue\r\n\r\n${OK}${NOTHING_MORE}`),
  },
  {
    name: "sends 103 Early Hints first",
    outcome: 200,
    answer: sends(`HTTP/1.1 103 Hints\r\nlink: </a>\r\n\r\n${OK}${NOTHING_MORE}`),
  },
  {
    name: "responds twice",
    outcome: 200,
    answer: sends(OK + NOTHING_MORE, `HTTP/1.1 500 Oh\r\n${NOTHING_MORE}`),
  },
  {
    name: "redirects to itself",
    outcome: 307,
    answer: sends(`HTTP/1.1 307 Again\r\nlocation: /\r\n${NOTHING_MORE}`),
  },
  {
    name: "redirects without a location",
    outcome: 302,
    answer: sends(`HTTP/1.1 302 Found\r\n${NOTHING_MORE}`),
  },
  {
    name: "sends 304 Not Modified",
    outcome: 304,
    answer: sends("HTTP/1.1 304 Same\r\ncontent-length: 9\r\n\r\n"),
  },
  {
    name: "sends a negative Retry-After",
    outcome: 503,
    answer: sends(`HTTP/1.1 503 Later\r\nretry-after: -1\r\n${NOTHING_MORE}`),
  },
];
