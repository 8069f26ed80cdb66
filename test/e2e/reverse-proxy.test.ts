import { describe, expect, test } from "vitest";
import { readGuide } from "../../src/platform/assets.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { isProxyMissing, PROXY_NAMES, type ProxyName, runProxy } from "../support/proxies.ts";

// These tests run the configuration of the guide with the real proxies.

const TOPIC = "behind-a-proxy";

async function startBehind(name: ProxyName) {
  const { dataDir, deskbell } = await createSeededSalon();
  const flags = /^deskbell serve --port 4100 (.*)$/m.exec(readGuide(TOPIC))?.[1]?.split(" ") ?? [];
  const url = await waitForUrl(spawnDaemon(dataDir, ...flags));
  return { proxy: await runProxy(name, TOPIC, "127.0.0.1:4100", new URL(url).host), deskbell };
}

const SLUG = "/v1/businesses/salon-aurora";

describe.each(PROXY_NAMES)("behind %s, configured as in the guide", (name) => {
  const isMissing = isProxyMissing(name);

  test.skipIf(isMissing)(
    "partners reach the API over TLS through the proxy, which keeps the operator's metrics private",
    async () => {
      const { proxy } = await startBehind(name);
      expect(await proxy.get("/healthz")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
      const ids = Array.from({ length: 500 }, (_, i) => `svc_${String(i).padStart(20, "0")}`);
      const withIds = await proxy.get(`${SLUG}/services?ids=${ids}`);
      expect(JSON.parse(withIds.body)).toMatchObject({ status: 401, code: "missing_key" });
      const paths = [
        "/metrics",
        "/metrics/",
        "//metrics",
        "/docs/../metrics",
        "/docs/%2e%2e/metrics",
        "/x/..\\metrics",
        "/%6detrics",
      ];
      for (const path of paths) {
        const { status, body } = await proxy.get(path);
        expect([path, status >= 400, body.includes("deskbell_")]).toEqual([path, true, false]);
      }
    },
  );

  test.skipIf(isMissing)(
    "a client cannot escape its rate limit through the proxy with an invented X-Forwarded-For",
    async () => {
      const { proxy } = await startBehind(name);
      const path = `${SLUG}/availability?service=beard-trim&from=2027-01-04`;
      const ask = (i: number, localAddress: string) =>
        proxy.get(path, { localAddress, headers: { "x-forwarded-for": `203.0.113.${i}` } });
      const statuses: number[] = [];
      for (let i = 0; i < 61; i += 1) statuses.push((await ask(i, "127.0.0.2")).status);
      expect(statuses.slice(0, 60).every((status) => status < 429)).toBe(true);
      expect(statuses.at(-1)).toBe(429);
      // Another client has a rate limit of its own.
      expect((await ask(0, "127.0.0.3")).status).toBeLessThan(429);
    },
  );

  test.skipIf(isMissing)(
    "the proxy does not cut a long poll, which ends as soon as something changes",
    async () => {
      const { proxy, deskbell } = await startBehind(name);
      const key = await deskbell("keys", "create", "--name", "mirror", "--scope", "webhooks.read");
      const headers = { authorization: `Bearer ${key}` };
      const first = await proxy.get(`${SLUG}/changes?limit=100`, { headers });
      const { page } = JSON.parse(first.body) as { page: { nextCursor: string } };
      const after = `${SLUG}/changes?after=${page.nextCursor}`;
      const waitSeconds = process.env["PROOFS"] === "full" ? 25 : 6;
      const startedAt = performance.now();
      const quiet = await proxy.get(`${after}&wait=${waitSeconds}`, { headers });
      expect([quiet.status, JSON.parse(quiet.body).data]).toEqual([200, []]);
      expect(performance.now() - startedAt).toBeGreaterThan(waitSeconds * 1000 - 100);
      const waiting = proxy.get(`${after}&wait=25`, { headers });
      await deskbell("services", "update", "beard-trim", "--price", "36.00");
      const { data } = JSON.parse((await waiting).body) as { data: { type: string }[] };
      expect(data.map(({ type }) => type)).toContain("service.updated");
    },
  );
});
