import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { deleteEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import type { Resolve } from "../../../src/app/webhooks/resolver.ts";
import { createSender } from "../../../src/delivery/sender.ts";
import { createSeededRandom } from "../../../src/app/sample-catalog/generator.ts";
import { isPublicAddress, parseTarget } from "../../../src/domain/webhooks/safe-url.ts";
import { addBusiness } from "../../support/delivery.ts";
import { VALID_URLS, HOSTILE_NAMES, HOSTILE_URLS } from "../../support/hostile/urls.ts";
import { spellPrivateAddress } from "../../support/hostile/address-spellings.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const UNTRUSTED = { allowHttp: false, allowPrivate: [], trusted: false };
const SPELLINGS = chooseScale(100_000, 1_000_000);
const SCRIPTS = chooseScale(300, 1000);
/** Represents the public address of a partner. */
const PARTNER = "127.0.0.2";
/** Addresses that must never be connected to. */
const CANARIES = ["127.0.0.1", "::1", "127.83.1.9"];

/** Resolves hostile names, and all other names to a private address. */
const resolveToPrivate: Resolve = async (hostname) => HOSTILE_NAMES[hostname] ?? ["127.0.0.1"];

/** Listens on one port of several addresses, and counts the connections to each. */
async function listenAt(
  addresses: readonly string[],
  port = 0,
): Promise<{ port: number; hits: Record<string, number> }> {
  const hits: Record<string, number> = {};
  for (const address of addresses) {
    const server = createServer((socket) => {
      hits[address] = (hits[address] ?? 0) + 1;
      socket.on("error", () => {});
      socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
      onTestFinished(() => void socket.destroy());
    });
    await new Promise<void>((resolve, reject) =>
      server.once("error", reject).listen(port, address, resolve),
    );
    onTestFinished(() => void server.close());
    port = (server.address() as AddressInfo).port;
  }
  return { port, hits };
}

function post(url: string, resolve: Resolve, lab: { allowHttp: boolean; allowPrivate: string[] }) {
  const { send, close } = createSender(lab, () => performance.now(), { resolve });
  onTestFinished(close);
  return send({ url, trusted: false, timeoutMs: 1000, headers: {}, body: Buffer.from("{}") });
}

const endpointRequest = (businessId: string, url: string) => ({
  businessId,
  keyId: null,
  name: "partner",
  url,
  events: ["service.updated"],
  allowPrivate: false,
});

describe("an untrusted endpoint", () => {
  const names = Object.keys(HOSTILE_NAMES).map((name) => `https://${name}/hook`);
  const hostile = [...HOSTILE_URLS, ...names];

  test(`is refused for each of ${hostile.length} hostile URLs, with a fix`, async () => {
    const rt = createTestRuntime();
    const { id } = addBusiness(rt);
    const created: string[] = [];
    for (const url of hostile)
      await createEndpoint(rt, endpointRequest(id, url), resolveToPrivate).then(
        () => created.push(url),
        (error) =>
          expect(error).toMatchObject({ code: "unsafe_url", fix: expect.stringMatching(/./) }),
      );
    expect(created).toEqual([]);
    expect(rt.store.endpoints.list()).toEqual([]);
    expect(hostile.length).toBeGreaterThanOrEqual(250);
  });

  test("is never connected to at a hostile URL, even if one is stored", async () => {
    const { hits } = await listenAt(CANARIES, 0);
    const sent: unknown[] = [];
    for (const url of hostile) {
      const outcome = await post(url, resolveToPrivate, { allowHttp: false, allowPrivate: [] });
      if (outcome.kind !== "blocked" && outcome.kind !== "unresolvable") sent.push([url, outcome]);
    }
    expect(sent).toEqual([]);
    expect(hits).toEqual({});
  });

  test(`is accepted for each of ${VALID_URLS.length} valid URLs`, async () => {
    const rt = createTestRuntime();
    const { id } = addBusiness(rt);
    const resolveToPublic: Resolve = async () => [
      "93.184.215.14",
      "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
    ];
    for (const url of VALID_URLS) {
      const { endpoint } = await createEndpoint(rt, endpointRequest(id, url), resolveToPublic);
      expect(endpoint.url).toBe(new URL(url).href);
      deleteEndpoint(rt, endpoint.id);
    }
    expect(VALID_URLS.length).toBeGreaterThanOrEqual(100);
  });

  test(
    `is refused for each of ${SPELLINGS} spellings of private addresses`,
    { timeout: 300_000 },
    () => {
      const random = createSeededRandom(7);
      const passed: string[] = [];
      let parsed = 0;
      for (let i = 0; i < SPELLINGS; i++) {
        const url = `https://${spellPrivateAddress(random)}/`;
        const hostname = URL.parse(url)?.hostname;
        if (hostname !== undefined && /^(\[.*\]|[\d.]+)$/.test(hostname)) parsed += 1;
        if (!("reason" in parseTarget(url, UNTRUSTED))) passed.push(url);
      }
      expect(passed).toEqual([]);
      // Most spellings must parse as addresses, and not be refused as malformed URLs.
      expect(parsed / SPELLINGS).toBeGreaterThan(0.9);
    },
  );
});

/** Generates a sequence of DNS responses, one for each lookup. */
function generateDnsScript({
  pick,
  integer,
  sample,
  chance,
}: ReturnType<typeof createSeededRandom>): string[][] {
  const inside = [
    ...CANARIES,
    "::ffff:127.0.0.1",
    "169.254.169.254",
    "10.0.0.1",
    "fe80::1",
    "fd00:ec2::254",
  ];
  return Array.from({ length: integer(2, 6) }, () => {
    if (chance(0.4)) return [PARTNER];
    if (chance(0.1)) return [];
    const mixed = chance(0.6)
      ? [PARTNER, ...sample(inside, integer(1, 3))]
      : sample(inside, integer(1, 3));
    return chance(0.5) ? mixed : [...mixed.slice(1), pick(mixed)];
  });
}

describe("a name that resolves to a public and later to a private address", () => {
  test(
    `never gets a connection to a private address, over ${SCRIPTS} sequences of DNS responses`,
    { timeout: 300_000 },
    async () => {
      const random = createSeededRandom(11);
      const { port, hits } = await listenAt([PARTNER, ...CANARIES]);
      let [taken, blocked, now] = [0, 0, 0];
      for (let i = 0; i < SCRIPTS; i++) {
        const script = generateDnsScript(random);
        let lookups = 0;
        const resolve: Resolve = async () => script[lookups++] ?? [];
        const lab = { allowHttp: true, allowPrivate: [`${PARTNER}/32`] };
        const { send, close } = createSender(lab, () => now, { resolve });
        for (const answer of script) {
          const isFine = answer.length > 0 && answer.every((address) => address === PARTNER);
          // A new host name forces a new connection; the time exceeds the DNS cache.
          now += 60_001;
          const url = `http://hook${lookups}.rebinding.example:${port}/`;
          const outcome = await send({
            url,
            trusted: false,
            timeoutMs: 1000,
            headers: {},
            body: Buffer.from("{}"),
          });
          const expected = isFine ? "responded" : answer.length > 0 ? "blocked" : "unresolvable";
          expect([answer, outcome.kind]).toEqual([answer, expected]);
          if (isFine) taken += 1;
          else blocked += 1;
        }
        await close();
      }
      expect(hits).toEqual({ [PARTNER]: taken });
      expect(blocked).toBeGreaterThan(SCRIPTS / 2);
    },
  );

  test("is blocked if it becomes private after its endpoint was created", async () => {
    const rt = createTestRuntime();
    const { id } = addBusiness(rt);
    const { hits } = await listenAt(CANARIES);
    let answer = ["93.184.215.14"];
    const resolve: Resolve = async () => answer;
    const { endpoint } = await createEndpoint(
      rt,
      endpointRequest(id, "https://rebinding.example/"),
      resolve,
    );
    answer = ["127.0.0.1"];
    expect(await post(endpoint.url, resolve, rt.config.urlAllowances)).toMatchObject({
      kind: "blocked",
      error: expect.stringContaining("127.0.0.1"),
    });
    expect(hits).toEqual({});
  });

  test("is resolved once per connection, so that the checked address is the one connected to", async () => {
    const { port, hits } = await listenAt([PARTNER, ...CANARIES]);
    const answers = [[PARTNER], ["127.0.0.1"], ["::1"]];
    let lookups = 0;
    const resolve: Resolve = async () => answers[lookups++] ?? ["127.0.0.1"];
    const lab = { allowHttp: true, allowPrivate: [`${PARTNER}/32`] };
    expect(await post(`http://rebinding.example:${port}/`, resolve, lab)).toMatchObject({
      statusCode: 200,
    });
    expect({ lookups, hits }).toEqual({ lookups: 1, hits: { [PARTNER]: 1 } });
  });
});

test("isPublicAddress is false for every spelling of a private address", () => {
  const random = createSeededRandom(3);
  const hostnames = Array.from(
    { length: 10_000 },
    () => URL.parse(`https://${spellPrivateAddress(random)}/`)?.hostname,
  );
  const literals = hostnames.flatMap((hostname) => hostname?.replaceAll(/[[\]]/g, "") ?? []);
  expect(literals.filter(isPublicAddress)).toEqual([]);
});
