import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSender } from "../../../src/delivery/sender.ts";
import type { AttemptRow } from "../../../src/store/webhooks/deliveries.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { createTempFolder } from "../../support/cli.ts";
import { FAULTS } from "../../support/hostile/faults.ts";
import { startHostileLab } from "../../support/hostile/lab.ts";
import { createAuthority, hasOpenssl } from "../../support/hostile/tls.ts";
import { assertTook, OutOfPatience, patient } from "../../support/patience.ts";

// The timeout of an endpoint is at most 30 seconds.
const DEADLINE_MS = Math.min(patient(2000), 30_000);
/** How long the first attempts of a round may take. */
const PATIENCE_MS = 5000;
const ROUNDS = 3;
const WARM_UP = 4000;
/**
 * Limits the growth of memory. Runs differ by up to 20 MB, depending on when V8 collects, and a
 * daemon that keeps whole responses grows by more than 1 GB.
 */
const MAX_GROWTH_MB = 100;

function memoryOf(pid: number): { peakMb: number; nowMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { peakMb: mb("VmHWM"), nowMb: mb("VmRSS") };
}

const resultOf = ({ outcome, statusCode }: AttemptRow) =>
  outcome === "responded" ? statusCode : outcome;

/**
 * Runs the program without a limit of time, and then without limits of a response's size. Counts
 * the receivers without an outcome in time, and measures the growth of memory.
 */
async function runControl(): Promise<Claim["control"]> {
  const hanging = await countWithoutTimeLimit();
  const growthMb = await measureWithoutSizeLimits();
  return {
    done: "Senders without a time limit, and without limits of a response's size, sent to the same receivers.",
    figure: `${hanging} of ${FAULTS.length} receivers had no outcome after ${PATIENCE_MS} ms, and memory grew by ${Math.round(growthMb)} MB.`,
    hasFailed: hanging > 0 && growthMb > MAX_GROWTH_MB,
  };
}

async function countWithoutTimeLimit(): Promise<number> {
  const program = breakProgram({
    file: "src/delivery/sender.ts",
    find: "const abort = () => {\n      finish();",
    replace: "const abort = () => {\n      return;",
  });
  const { hostile, emit, countTried } = await startHostileLab(DEADLINE_MS, program);
  emit(hostile);
  await sleep(PATIENCE_MS);
  return hostile.length - countTried();
}

async function measureWithoutSizeLimits(): Promise<number> {
  const program = breakProgram(
    {
      file: "src/delivery/sender.ts",
      find: "if (bytesRead < MAX_KEPT_BYTES) keptChunks.push(chunk);",
      replace: "keptChunks.push(chunk);",
    },
    {
      file: "src/delivery/sender.ts",
      find: "if (bytesRead >= MAX_READ_BYTES) abort();",
      replace: "",
    },
    {
      file: "src/delivery/connector.ts",
      find: "const MAX_RESPONSE_BYTES = 256 * 1024;",
      replace: "const MAX_RESPONSE_BYTES = Infinity;",
    },
  );
  const { hostile, daemon, emit } = await startHostileLab(DEADLINE_MS, program);
  const before = memoryOf(daemon.pid);
  emit(hostile);
  await sleep(PATIENCE_MS);
  return memoryOf(daemon.pid).peakMb - before.nowMb;
}

test(
  `${FAULTS.length} hostile receivers get the right outcome in time and do not affect a healthy one`,
  { timeout: patient(60_000) },
  async () => {
    const { good, daemon, hostile, partner, emit, deliveriesTo, firstAttemptsAt, countTried } =
      await startHostileLab(DEADLINE_MS);

    // The daemon warms up first, so that its normal heap is not counted as growth.
    emit(Array.from({ length: WARM_UP }, () => partner));
    await good.waitForRequests(WARM_UP);
    const before = memoryOf(daemon.pid);
    const feed = setInterval(() => emit([partner]), 20);
    onTestFinished(() => clearInterval(feed));
    for (let round = 1; round <= ROUNDS; round++) {
      emit(hostile);
      await expect.poll(countTried, { timeout: patient(PATIENCE_MS) }).toBe(round * hostile.length);
    }
    clearInterval(feed);
    const after = memoryOf(daemon.pid);
    await expect
      .poll(() => deliveriesTo(partner).every(({ status }) => status === "DELIVERED"))
      .toBe(true);

    const results = FAULTS.map(({ name, outcome }, i) => {
      const all = firstAttemptsAt(hostile[i]!).map(resultOf);
      const inTime = all.filter((result) => result === outcome || result !== "timed_out");
      const late = all.length - inTime.length;
      return { name, outcome, late, outcomes: [...new Set(inTime)] };
    });
    const wrong = results.filter(({ outcome, outcomes }) =>
      outcomes.some((one) => one !== outcome),
    );
    expect(wrong).toEqual([]);
    const late = results.filter((result) => result.late > 0).map(({ name }) => name);
    if (late.length > 0)
      throw new OutOfPatience(`No outcome in ${DEADLINE_MS} ms: ${late.join(", ")}.`);
    const succeeding = FAULTS.flatMap(({ outcome }, i) => (outcome === 200 ? hostile[i]! : []));
    for (const { status, attemptCount } of succeeding.flatMap(deliveriesTo))
      expect({ status, attemptCount }).toEqual({ status: "DELIVERED", attemptCount: 1 });
    const hostileMs = hostile.flatMap(firstAttemptsAt).map(({ durationMs }) => durationMs);
    assertTook("The slowest attempt", Math.max(...hostileMs), 3001);
    const toPartner = firstAttemptsAt(partner);
    expect(good.requests).toHaveLength(toPartner.length);
    const slowestMs = Math.max(...toPartner.map(({ durationMs }) => durationMs));
    assertTook("The slowest delivery to the healthy receiver", slowestMs, 2000);
    const growthMb = after.peakMb - before.nowMb;
    expect(growthMb).toBeLessThan(MAX_GROWTH_MB);
    if (!isRecording()) return;
    recordClaim({
      group: "faults",
      claim: "A partner's server that hangs, floods or breaks the protocol delays no other partner",
      done: `${ROUNDS} deliveries were sent to each of ${FAULTS.length} receivers that break the protocol, hang, drip or flood, beside ${toPartner.length} to a healthy one.`,
      figure: `All had the right outcome within ${DEADLINE_MS + 1000} ms; the slowest delivery to the healthy one took ${slowestMs} ms, and the peak of memory was ${Math.round(growthMb)} MB higher than before.`,
      control: await runControl(),
      seed: "none",
    });
  },
);

/** Returns a function that posts to a local port under any origin, over kept-alive connections. */
function senderTo(port: number) {
  const lab = { allowHttp: true, allowPrivate: ["127.0.0.0/8"] };
  const { send, close } = createSender(lab, () => performance.now(), {
    resolve: async () => ["127.0.0.1"],
  });
  onTestFinished(close);
  return async (origin: string) => {
    const startedAt = performance.now();
    const url = `${origin}:${port}/`;
    const outcome = await send({
      url,
      trusted: false,
      timeoutMs: DEADLINE_MS,
      headers: {},
      body: Buffer.from("{}"),
    });
    return { outcome, tookMs: performance.now() - startedAt };
  };
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const answerOf = (status: number, ...more: string[]) =>
  [`HTTP/1.1 ${status} So`, ...more, "content-length: 0", "", ""].join("\r\n");

describe("a kept-alive connection", () => {
  type Request = { n: number; socket: Socket };
  const cases: {
    name: string;
    onRequest: (request: Request) => void;
    next: "refused" | 200 | 500;
  }[] = [
    {
      name: "closed during the next request makes it fail",
      onRequest: ({ n, socket }) => void (n === 1 ? socket.write(answerOf(200)) : socket.destroy()),
      next: "refused",
    },
    {
      name: "closed right after its response is reopened",
      onRequest: ({ socket }) => void socket.end(answerOf(200)),
      next: 200,
    },
    {
      name: "is not reused after Connection: close, even if it stays open",
      onRequest: ({ n, socket }) =>
        void (n === 1 && socket.write(answerOf(200, "connection: close"))),
      next: 200,
    },
    {
      name: "with a second response in the same chunk does not give it to the next delivery",
      onRequest: ({ n, socket }) =>
        void socket.write(n === 1 ? answerOf(500) + answerOf(200) : answerOf(500)),
      next: 500,
    },
    {
      name: "with a late second response does not give it to the next delivery",
      onRequest({ n, socket }) {
        socket.write(answerOf(500));
        if (n === 1) setTimeout(() => socket.write(answerOf(200)), 20);
      },
      next: 500,
    },
    {
      name: "with a body longer than its Content-Length does not give the rest to the next delivery",
      onRequest: ({ n, socket }) =>
        void socket.write(
          n === 1
            ? `HTTP/1.1 500 Oh\r\ncontent-length: 2\r\n\r\nno${answerOf(200)}`
            : answerOf(500),
        ),
      next: 500,
    },
  ];
  test.each(cases)("a kept-alive connection $name", async ({ onRequest, next }) => {
    const onConnection = (socket: Socket) => {
      let n = 0;
      socket.on("data", () => onRequest({ n: (n += 1), socket }));
    };
    const post = senderTo(await listen(createServer(onConnection)));
    const origin = "http://partner.example";
    expect((await post(origin)).outcome.kind).toBe("responded");
    await new Promise((resolve) => setTimeout(resolve, 60));
    const { outcome } = await post(origin);
    expect(outcome.kind === "responded" ? outcome.statusCode : outcome.kind).toBe(next);
  });
});

describe.skipIf(!hasOpenssl())("over TLS", () => {
  const answering = (socket: Socket) => void socket.on("data", () => socket.write(answerOf(200)));

  test("a TLS receiver without a valid certificate is refused", async () => {
    const authority = createAuthority(createTempFolder());
    const trusted = tls.getCACertificates("default");
    tls.setDefaultCACertificates([...trusted, authority.certificate]);
    onTestFinished(() => tls.setDefaultCACertificates(trusted));
    const cases: [string, tls.TlsOptions, string | RegExp][] = [
      ["valid", authority.issue("right.example"), "responded"],
      ["expired", authority.issue("expired.example", { from: -9, to: -2 }), "CERT_HAS_EXPIRED"],
      ["not valid yet", authority.issue("early.example", { from: 2, to: 9 }), "CERT_NOT_YET_VALID"],
      ["for another name", authority.issue("other.example"), "ERR_TLS_CERT_ALTNAME_INVALID"],
      ["signed by itself", authority.selfSign("vain.example"), "DEPTH_ZERO_SELF_SIGNED_CERT"],
      [
        "old",
        {
          ...authority.issue("old.example"),
          minVersion: "TLSv1",
          maxVersion: "TLSv1",
          ciphers: "ALL:@SECLEVEL=0",
        },
        /PROTOCOL/,
      ],
    ];
    const names = ["right", "expired", "early", "wrong", "vain", "old"];
    for (const [i, [, options, expected]] of cases.entries()) {
      const { outcome } = await senderTo(await listen(tls.createServer(options, answering)))(
        `https://${names[i]}.example`,
      );
      const { kind } = outcome;
      if (outcome.kind === "responded") expect(kind).toBe(expected);
      else expect(outcome).toEqual({ kind: "tls_failed", error: expect.stringMatching(expected) });
    }
  });
});

describe("a TLS handshake", () => {
  test.each<{ name: string; onHello: (socket: Socket) => void; kind: "tls_failed" | "timed_out" }>([
    {
      name: "that is reset",
      onHello: (socket) => void socket.resetAndDestroy(),
      kind: "tls_failed",
    },
    { name: "that is closed", onHello: (socket) => void socket.end(), kind: "tls_failed" },
    {
      name: "answered with noise",
      onHello: (socket) => void socket.write(Buffer.alloc(512, 0xa5)),
      kind: "tls_failed",
    },
    {
      name: "answered in plain HTTP",
      onHello: (socket) => void socket.write(answerOf(200)),
      kind: "tls_failed",
    },
    {
      name: "refused with an alert",
      onHello: (socket) => void socket.write(Buffer.from("15030300020228", "hex")),
      kind: "tls_failed",
    },
    { name: "that hangs", onHello: () => {}, kind: "timed_out" },
    {
      name: "that drips",
      onHello(socket) {
        const timer = setInterval(() => socket.write(Buffer.from("16")), 20);
        socket.once("close", () => clearInterval(timer));
      },
      kind: "tls_failed",
    },
    {
      name: "with an endless record",
      onHello: (socket) =>
        void socket.write(Buffer.concat([Buffer.from("160303ffff", "hex"), Buffer.alloc(65_535)])),
      kind: "tls_failed",
    },
  ])("a TLS handshake $name fails as $kind before the deadline", async ({ onHello, kind }) => {
    const server = createServer((socket) => void socket.once("data", () => onHello(socket)));
    const { outcome, tookMs } = await senderTo(await listen(server))("https://partner.example");
    expect(outcome.kind).toBe(kind);
    assertTook("The attempt", tookMs, 3000);
  });
});
