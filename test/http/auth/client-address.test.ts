import { expect, onTestFinished, test } from "vitest";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CHECKS } from "../../support/checks.ts";
import { createSharedAddressDetector } from "../../../src/http/auth/client-address.ts";
import { acquireDaemonLock } from "../../../src/store/database/database.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { createTestApi, SALON } from "../support/api.ts";

const PROXIED = { publicUrl: "https://api.example.com" };
const FORWARDED = { "x-forwarded-for": "203.0.113.9" };

/**
 * Returns a function that records requests of a peer and returns the address that the daemon has
 * then saved as shared by several clients; null if none.
 */
function createDaemon(flags: Parameters<typeof createTestRuntime>[0] = {}) {
  const rt = createTestRuntime(flags);
  rt.tx(() => rt.store.daemon.save({ url: "http://127.0.0.1:1", startedAt: rt.now() }));
  const detector = createSharedAddressDetector(rt);
  return (peerAddress: string, headers: Record<string, string> = {}, count = 100) => {
    const request = { peerAddress, headers: { host: "api.example.com", ...headers } };
    for (let i = 0; i < count; i++) detector.record(request as never);
    detector.flush();
    return rt.store.daemon.find()?.sharedAddress ?? null;
  };
}

test.each([
  { what: "an untrusted proxy on this machine", flags: {}, peer: "127.0.0.1", headers: FORWARDED },
  { what: "a proxy that sends no headers but Host", flags: {}, peer: "::1", headers: {} },
  { what: "a proxy in the network", flags: PROXIED, peer: "172.17.0.1", headers: {} },
  {
    what: "a trusted proxy without X-Forwarded-For",
    flags: { trustedProxies: ["198.51.100.7"] },
    peer: "198.51.100.7",
    headers: { "x-real-ip": "203.0.113.9" },
  },
])("the address of $what is reported as shared after 100 requests", ({ flags, peer, headers }) => {
  const send = createDaemon(flags);
  expect(send(peer, headers, 99)).toBeNull();
  expect(send(peer, headers, 1)).toBe(peer);
});

test.each([
  {
    what: "a trusted proxy with X-Forwarded-For",
    flags: { ...PROXIED, trustedProxies: ["127.0.0.1"] },
    peer: "127.0.0.1",
    headers: FORWARDED,
  },
  { what: "one client on the internet", flags: PROXIED, peer: "203.0.113.9", headers: {} },
  { what: "one client in the network", flags: {}, peer: "192.168.1.5", headers: {} },
  { what: "this machine", flags: PROXIED, peer: "127.0.0.1", headers: { host: "localhost:4100" } },
])("the address of $what is not reported as shared", ({ flags, peer, headers }) =>
  expect(createDaemon(flags)(peer, headers as Record<string, string>)).toBeNull(),
);

test("the report of a shared client address ends with a request from another address, but not from this machine", () => {
  const send = createDaemon();
  expect(send("127.0.0.1", FORWARDED)).toBe("127.0.0.1");
  expect(send("127.0.0.1", { host: "localhost" }, 1)).toBe("127.0.0.1");
  expect(send("203.0.113.9", {}, 1)).toBeNull();
  expect(send("127.0.0.1", FORWARDED, 99)).toBeNull();
});

test.each([
  ["the API", `/v1/businesses/${SALON}/staff`],
  ["a page for guests", `/b/${SALON}`],
])(
  "`status` reports that all clients of %s share an address, until the daemon starts again",
  async (_what, path) => {
    const api = createTestApi("salon", undefined, PROXIED);
    onTestFinished(acquireDaemonLock(api.config.databasePath).release);
    const start = () =>
      api.tx(() => api.store.daemon.save({ url: "http://127.0.0.1:1", startedAt: api.now() }));
    const report = () => readStatus(api, CHECKS).problems.filter(({ about }) => about === "proxy");
    start();
    const headers = { host: "api.example.com" };
    for (const other of ["/healthz", `/b/${SALON}/desk`])
      for (let i = 0; i < 150; i++) await api.request(other, { key: null, headers });
    api.flush();
    expect(report()).toEqual([]);
    for (let i = 0; i < 100; i++) await api.request(path, { headers });
    api.flush();
    expect(report()).toMatchObject([
      {
        code: "proxy.one_address",
        about: "proxy",
        text: "all clients share the address 127.0.0.1, and with it one rate limit: a proxy hides their own. It must send X-Forwarded-For, and deskbell must trust it (serve --trusted-proxy 127.0.0.1)",
        command: "deskbell guide behind-a-proxy",
      },
    ]);
    start();
    expect(report()).toEqual([]);
  },
);
