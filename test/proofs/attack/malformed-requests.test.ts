import { connect } from "node:net";
import { fc } from "../../support/property.ts";
import { expect, onTestFinished, test } from "vitest";
import { createSeededRandom, type SeededRandom } from "../../../src/domain/seeded-random.ts";
import { startServer } from "../../../src/http/server.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import type { GeneratedRequest } from "../../support/hostile/generated-requests.ts";
import { arbitraryTenantRequests, keysOf, sabotage } from "../support/tenant-requests.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { createTenants, type Tenant } from "../support/tenants.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { patient } from "../../support/patience.ts";

// This proof changes bytes of requests at random, as a fuzzer does. test/support/check-responses.ts
// checks, as in all tests, that the OpenAPI document allows every response.

const SEED = chooseSeed(23);
const REQUESTS = chooseScale(500, 600_000, 8000);
const CONTROL_REQUESTS = 2000;
/**
 * The maximum number of control runs. Each has another seed, and they stop when one happens to find
 * the bug.
 */
const CONTROL_RUNS = 10;
/** Each round starts with a new business, because some requests change it. */
const PER_ROUND = 20_000;
const TEMPLATES = 1000;
const AT_ONCE = 16;
/** Statuses of RFC 9110 for an unknown method and for an unknown version of HTTP. */
const UNSUPPORTED = ["501", "505"];
/** This time is longer than any response takes, and shorter than a client would wait. */
const NO_RESPONSE_MS = 30_000;

const TOKENS = [
  "\0",
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  " ",
  "\t",
  ":",
  "%",
  "%zz",
  "/../",
  "\xff",
  "\x1b[2J",
  '"',
  "{",
  "Content-Length: 5\r\n",
  "Content-Length: -1\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Host: other\r\n",
  "Expect: 100-continue\r\n",
  "Upgrade: websocket\r\nConnection: upgrade\r\n",
  "9".repeat(20),
  "a".repeat(9000),
].map((text) => Buffer.from(text, "latin1"));

/** Returns a request as bytes. Its Content-Length is correct until `corrupt` changes bytes. */
function encode({ method, url, headers, body }: GeneratedRequest, secret: string | null): Buffer {
  const content = Buffer.from(body ?? "");
  const lines = [
    `${method} ${url} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(secret === null ? [] : [`Authorization: Bearer ${secret}`]),
    ...(body === undefined ? [] : [`Content-Length: ${content.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), content]);
}

/** Changes a few bytes: one bit, one byte, a part that is cut out or repeated, or a token. */
function corrupt(bytes: Buffer, { integer, pick, chance }: SeededRandom): Buffer {
  let corrupted = bytes;
  for (let left = integer(1, 4); left > 0; left--) {
    // Most changes are in the head, which is the part that every request has.
    const at = integer(0, Math.min(corrupted.length, chance(0.8) ? 300 : Infinity));
    const until = Math.min(corrupted.length, at + integer(1, 20));
    const [before, part, after] = [
      corrupted.subarray(0, at),
      corrupted.subarray(at, until),
      corrupted.subarray(until),
    ];
    const flipped = Buffer.from(part);
    flipped[0] = (flipped[0] ?? 0) ^ (1 << integer(0, 7));
    const replacements = [
      () => [flipped],
      () => [Buffer.from([integer(0, 255)]), part.subarray(1)],
      () => [],
      () => [part, part],
      () => [pick(TOKENS), part],
    ];
    corrupted = Buffer.concat([before, ...pick(replacements)(), after]);
  }
  return chance(0.03) ? corrupted.subarray(0, integer(0, corrupted.length)) : corrupted;
}

/** Sends bytes on a new connection. Returns what the server sent until the connection was closed. */
const exchange = (port: number, bytes: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.setEncoding("latin1").setTimeout(NO_RESPONSE_MS, () => {
      socket.destroy();
      reject(new Error(`No response to ${JSON.stringify(bytes.toString("latin1"))}`));
    });
    socket.on("data", (chunk: string) => (received += chunk));
    // A server that refuses a request may reset the connection while more of it arrives.
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () => resolve(received));
    socket.end(bytes);
  });

type Responses = Map<string, number>;

/**
 * Sends malformed requests to a new server. @throws if a response is an internal error or not HTTP
 */
async function runRound(
  responses: Responses,
  { requests, seed, prepare }: { requests: number; seed: number; prepare?: typeof sabotage },
): Promise<TestRuntime> {
  const rt = createTestRuntime();
  const [tenant] = (await createTenants(rt, 1)) as [Tenant];
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const keys = keysOf(tenant);
  const templates = fc
    .sample(arbitraryTenantRequests(tenant), { numRuns: TEMPLATES, seed })
    .map((generated) => encode(generated, keys[generated.key]));
  prepare?.(rt);
  const random = createSeededRandom(seed);
  let left = requests;
  const sendAll = async () => {
    while (left-- > 0) {
      // The clock advances, so that the rate limit by address is never reached.
      rt.advance(4000);
      const bytes = corrupt(random.pick(templates), random);
      const received = await exchange(server.port, bytes);
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? (received && "not HTTP");
      if (status === "not HTTP" || (status >= "500" && !UNSUPPORTED.includes(status)))
        throw new Error(
          `${received}\nis the response to\n${JSON.stringify(bytes.toString("latin1"))}`,
        );
      responses.set(status, (responses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
  await server.close();
  return rt;
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  let hasFailed = false;
  let runs = 0;
  while (!hasFailed && runs < CONTROL_RUNS) {
    const control = { requests: CONTROL_REQUESTS, seed: SEED + runs, prepare: sabotage };
    const error = await runRound(new Map(), control).catch((thrown: Error) => thrown);
    hasFailed = error instanceof Error && error.message.startsWith("HTTP/1.1 500 ");
    runs += 1;
  }
  return {
    done: `An API that throws for IDs with an unusual character got up to ${runs * CONTROL_REQUESTS} such requests.`,
    figure: hasFailed ? "It responded with 500." : "It never responded with 500.",
    hasFailed,
  };
}

test(
  `${REQUESTS} requests with changed bytes are answered or refused, and cause no internal error`,
  { timeout: patient(60_000 + REQUESTS * 10) },
  async () => {
    const responses: Responses = new Map();
    for (let left = REQUESTS; left > 0; left -= PER_ROUND) {
      const requests = Math.min(left, PER_ROUND);
      const { logged } = await runRound(responses, { requests, seed: SEED + left });
      expect(logged.filter(({ level }) => level === "error")).toEqual([]);
    }
    expect([...responses.values()].reduce((sum, count) => sum + count)).toBe(REQUESTS);
    if (!isRecording()) return;
    const closed = responses.get("") ?? 0;
    const counts = [...responses]
      .filter(([status]) => status !== "")
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([status, count]) => `${status} (${count} times)`);
    recordClaim({
      group: "attack",
      claim: "A malformed request causes no internal error",
      done: `${REQUESTS} requests were generated from the OpenAPI document, with random bytes changed, cut out, repeated or inserted, and each was sent on a connection of its own.`,
      figure: `No response was an internal error, and no error was logged. The statuses were ${counts.join(", ")}; ${closed} connections were closed without a response.`,
      control: await runControl(),
      seed: SEED,
    });
  },
);
