import type { Socket } from "node:net";

/** One way to misbehave, and what a delivery to it must be told as. */
export type Fault = {
  name: string;
  outcome: Expected;
  /** At the connection, before anything was read. */
  greet?: Behave;
  /** At the first bytes of the request. */
  answer?: Behave;
};

type Behave = (socket: Socket) => void;

/** The status code of an answer, or the kind of failure. */
type Expected = number | "timed_out" | "refused";

const OK = "HTTP/1.1 200 OK\r\n";
const NOTHING_MORE = "content-length: 0\r\n\r\n";
const KIB = "x".repeat(1024);

const says =
  (...parts: (string | Buffer)[]): Behave =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };

const saysAndEnds =
  (text: string | Buffer): Behave =>
  (socket) =>
    void socket.end(text);

/** Once every few milliseconds, for as long as the other side listens. */
const drips =
  (first: string, next: string, everyMs = 20): Behave =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(next), everyMs);
    socket.once("close", () => clearInterval(timer));
  };

/** As fast as the other side takes it. */
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

const saysAndResets =
  (text: string): Behave =>
  (socket) =>
    void socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 50));

const GZIP_OF_ZEROS = Buffer.concat([
  Buffer.from("1f8b0800000000000003", "hex"),
  Buffer.alloc(12 * 1024, 0xff),
]);

/** How receivers fail: seen in the field, or easily made by whoever means harm. */
export const FAULTS: readonly Fault[] = [
  // The connection.
  { name: "resets at once", outcome: "refused", greet: (socket) => void socket.resetAndDestroy() },
  { name: "closes at once", outcome: "refused", greet: (socket) => void socket.destroy() },
  { name: "half-closes at once", outcome: "refused", greet: (socket) => void socket.end() },
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
    answer: saysAndResets("HTTP/1.1 20"),
  },
  {
    name: "resets within the headers",
    outcome: "refused",
    answer: saysAndResets(`${OK}content-le`),
  },
  {
    name: "resets after the headers of a 200",
    outcome: 200,
    answer: saysAndResets(`${OK}content-length: 9\r\n\r\n`),
  },
  {
    name: "resets after the headers of a 500",
    outcome: 500,
    answer: saysAndResets("HTTP/1.1 500 Oh\r\ncontent-length: 9\r\n\r\n"),
  },
  {
    name: "half-closes after a whole answer",
    outcome: 200,
    answer: saysAndEnds(OK + NOTHING_MORE),
  },
  { name: "never reads", outcome: "timed_out", greet: (socket) => void socket.pause() },
  {
    name: "reads after a while",
    outcome: 200,
    greet: (socket) => {
      socket.pause();
      setTimeout(() => socket.resume(), 400);
    },
    answer: says(OK + NOTHING_MORE),
  },

  // The pace.
  { name: "never answers", outcome: "timed_out" },
  {
    name: "drips a status line that has no end",
    outcome: "timed_out",
    answer: drips("HTTP/1.1 200 O", "K"),
  },
  { name: "drips headers for ever", outcome: "timed_out", answer: drips(OK, "a: b\r\n") },
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
    name: "says 102 now and then",
    outcome: "timed_out",
    answer: drips("", "HTTP/1.1 102 Processing\r\n\r\n"),
  },
  {
    name: "says 100 now and then",
    outcome: "refused",
    answer: drips("", "HTTP/1.1 100 Continue\r\n\r\n"),
  },

  // The size.
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
  { name: "floods without a length", outcome: 200, answer: floods(`${OK}\r\n`, KIB) },
  { name: "floods after a 500", outcome: 500, answer: floods("HTTP/1.1 500 Oh\r\n\r\n", KIB) },
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
    name: "sends a gzip bomb that nobody asked for",
    outcome: 200,
    answer: says(
      `${OK}content-encoding: gzip\r\ncontent-length: ${GZIP_OF_ZEROS.length}\r\n\r\n`,
      GZIP_OF_ZEROS,
    ),
  },

  // The length.
  {
    name: "says less than it said it would",
    outcome: 200,
    answer: saysAndEnds(`${OK}content-length: 99\r\n\r\nthanks`),
  },
  {
    name: "says more than it said it would",
    outcome: 200,
    answer: says(`${OK}content-length: 2\r\n\r\nthanks`),
  },
  {
    name: "gives a negative length",
    outcome: "refused",
    answer: says(`${OK}content-length: -1\r\n\r\n`),
  },
  {
    name: "gives a length in words",
    outcome: "refused",
    answer: says(`${OK}content-length: many\r\n\r\n`),
  },
  {
    name: "gives a length beyond numbers",
    outcome: "refused",
    answer: says(`${OK}content-length: ${"9".repeat(40)}\r\n\r\n`),
  },
  {
    name: "gives two lengths",
    outcome: "refused",
    answer: says(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`),
  },
  {
    name: "gives a length and chunks",
    outcome: "refused",
    answer: says(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  },
  {
    name: "has garbage for a chunk's size",
    outcome: 200,
    answer: says(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nhm\r\n`),
  },
  {
    name: "has a chunk beyond numbers",
    outcome: 200,
    answer: says(`${OK}transfer-encoding: chunked\r\n\r\n${"f".repeat(20)}\r\nhm\r\n`),
  },
  {
    name: "breaks off within a chunk",
    outcome: 200,
    answer: saysAndEnds(`${OK}transfer-encoding: chunked\r\n\r\nff\r\nhm`),
  },
  {
    name: "invents a transfer encoding",
    outcome: 200,
    answer: saysAndEnds(`${OK}transfer-encoding: rot13\r\n\r\nguvf`),
  },
  {
    name: "sends trailers",
    outcome: 200,
    answer: says(`${OK}transfer-encoding: chunked\r\ntrailer: a\r\n\r\n0\r\na: b\r\n\r\n`),
  },
  {
    name: "sends a body with its 204",
    outcome: 204,
    answer: says("HTTP/1.1 204 None\r\ncontent-length: 6\r\n\r\nthanks"),
  },

  // The words.
  { name: "says nothing but line ends", outcome: "refused", answer: saysAndEnds("\r\n\r\n\r\n") },
  { name: "answers in HTTP/0.9", outcome: "refused", answer: saysAndEnds("<html>thanks</html>") },
  {
    name: "answers in HTTP/1.0",
    outcome: 200,
    answer: saysAndEnds("HTTP/1.0 200 OK\r\n\r\nthanks"),
  },
  {
    name: "answers in HTTP/9.9",
    outcome: "refused",
    answer: saysAndEnds(`HTTP/9.9 200 OK\r\n${NOTHING_MORE}`),
  },
  {
    name: "answers in HTTP/2",
    outcome: "refused",
    answer: saysAndEnds(Buffer.from("00001204000000000000", "hex")),
  },
  {
    name: "answers in TLS",
    outcome: "refused",
    answer: saysAndEnds(Buffer.from("15030300020228", "hex")),
  },
  {
    name: "speaks SSH",
    outcome: "refused",
    greet: (socket) => void socket.write("SSH-2.0-OpenSSH_9.9\r\n"),
  },
  {
    name: "answers in noise",
    outcome: "refused",
    answer: saysAndEnds(Buffer.from("00ff807f0a0d0d0a1b5b324a", "hex")),
  },
  { name: "gives no reason", outcome: 200, answer: says(`HTTP/1.1 200\r\n${NOTHING_MORE}`) },
  {
    name: "has a NUL in a header",
    outcome: "refused",
    answer: says(`${OK}a: b\0c\r\n${NOTHING_MORE}`),
  },
  {
    name: "has a NUL in a header's name",
    outcome: "refused",
    answer: says(`${OK}a\0: b\r\n${NOTHING_MORE}`),
  },
  {
    name: "has a header without a colon",
    outcome: "refused",
    answer: says(`${OK}thanks\r\n${NOTHING_MORE}`),
  },
  {
    name: "has a body that is no text",
    outcome: 200,
    answer: says(`${OK}content-length: 4\r\n\r\n`, Buffer.from("c300ff80", "hex")),
  },

  // The status.
  {
    name: "has a status of 999",
    outcome: 999,
    answer: says(`HTTP/1.1 999 Odd\r\n${NOTHING_MORE}`),
  },
  {
    name: "has a status of 000",
    outcome: "refused",
    answer: says(`HTTP/1.1 000 Odd\r\n${NOTHING_MORE}`),
  },
  {
    name: "has a status of five digits",
    outcome: "refused",
    answer: says(`HTTP/1.1 20000 OK\r\n${NOTHING_MORE}`),
  },
  {
    name: "has a status in words",
    outcome: "refused",
    answer: says(`HTTP/1.1 FINE\r\n${NOTHING_MORE}`),
  },
  {
    name: "switches protocols",
    outcome: "refused",
    answer: says("HTTP/1.1 101 Switching\r\nupgrade: tea\r\nconnection: upgrade\r\n\r\n"),
  },
  // The HTTP client takes no 100 that was not asked for; whoever says so is told by the error.
  {
    name: "says 100 first",
    outcome: "refused",
    answer: says(`HTTP/1.1 100 Continue\r\n\r\n${OK}${NOTHING_MORE}`),
  },
  {
    name: "says 103 first",
    outcome: 200,
    answer: says(`HTTP/1.1 103 Hints\r\nlink: </a>\r\n\r\n${OK}${NOTHING_MORE}`),
  },
  {
    name: "answers twice",
    outcome: 200,
    answer: says(OK + NOTHING_MORE, `HTTP/1.1 500 Oh\r\n${NOTHING_MORE}`),
  },
  {
    name: "redirects to itself",
    outcome: 307,
    answer: says(`HTTP/1.1 307 Again\r\nlocation: /\r\n${NOTHING_MORE}`),
  },
  {
    name: "redirects to nowhere",
    outcome: 302,
    answer: says(`HTTP/1.1 302 Found\r\n${NOTHING_MORE}`),
  },
  {
    name: "says that nothing has changed",
    outcome: 304,
    answer: says("HTTP/1.1 304 Same\r\ncontent-length: 9\r\n\r\n"),
  },
  {
    name: "asks for a pause before now",
    outcome: 503,
    answer: says(`HTTP/1.1 503 Later\r\nretry-after: -1\r\n${NOTHING_MORE}`),
  },
];
