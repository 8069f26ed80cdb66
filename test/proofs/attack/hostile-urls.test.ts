import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { deleteEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import type { Resolve } from "../../../src/app/webhooks/host-limits.ts";
import { createSender } from "../../../src/delivery/sender.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import {
  isPublicAddress,
  parseTarget,
  type UrlPolicy,
} from "../../../src/domain/webhooks/safe-url.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { addBusiness } from "../../support/delivery.ts";
import { VALID_URLS, HOSTILE_NAMES, HOSTILE_URLS } from "../../support/hostile/urls.ts";
import { spellPrivateAddress } from "../../support/hostile/address-spellings.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { patient } from "../../support/patience.ts";

const SEED = chooseSeed(7);
const UNTRUSTED = { allowHttp: false, allowPrivate: [], trusted: false };
/** Allowances that disable the guard, for the negative controls. */
const EVERYTHING = ["0.0.0.0/0", "::/0"];
const SPELLINGS = chooseScale(10_000, 1_000_000, 100_000);
const SCRIPTS = chooseScale(150, 1000, 300);
const CONTROL_SPELLINGS = 1000;
const CONTROL_SCRIPTS = 8;
/** An address that stands for the public address of a partner. */
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

/**
 * Returns the spellings of private addresses that are accepted, and the number of all spellings that
 * a URL parser reads as an address.
 */
function parseSpellings(count: number, allowances: UrlPolicy) {
  const random = createSeededRandom(SEED);
  const passed: string[] = [];
  let parsed = 0;
  for (let i = 0; i < count; i++) {
    const url = `https://${spellPrivateAddress(random)}/`;
    const hostname = URL.parse(url)?.hostname;
    if (hostname !== undefined && /^(\[.*\]|[\d.]+)$/.test(hostname)) parsed += 1;
    if (!("reason" in parseTarget(url, allowances))) passed.push(url);
  }
  return { passed, parsed };
}

describe("an untrusted endpoint", () => {
  const names = Object.keys(HOSTILE_NAMES).map((name) => `https://${name}/hook`);
  const hostile = [...HOSTILE_URLS, ...names];

  test(`an untrusted endpoint is refused for each of ${hostile.length} hostile URLs, with a fix`, async () => {
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

  test("nothing connects to a hostile URL, even if an endpoint has it", async () => {
    const { hits } = await listenAt(CANARIES, 0);
    const sent: unknown[] = [];
    for (const url of hostile) {
      const outcome = await post(url, resolveToPrivate, { allowHttp: false, allowPrivate: [] });
      if (outcome.kind !== "blocked" && outcome.kind !== "unresolvable") sent.push([url, outcome]);
    }
    expect(sent).toEqual([]);
    expect(hits).toEqual({});
  });

  test(`an untrusted endpoint is accepted for each of ${VALID_URLS.length} valid URLs`, async () => {
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
    `an untrusted endpoint is refused for each of ${SPELLINGS} spellings of private addresses`,
    { timeout: patient(300_000) },
    () => {
      const { passed, parsed } = parseSpellings(SPELLINGS, UNTRUSTED);
      expect(passed).toEqual([]);
      // Most spellings must parse as addresses, and not be refused as malformed URLs.
      expect(parsed / SPELLINGS).toBeGreaterThan(0.9);
      const control = parseSpellings(CONTROL_SPELLINGS, { ...UNTRUSTED, allowPrivate: EVERYTHING });
      recordClaim({
        group: "attack",
        claim: "No spelling of a private address is accepted as a webhook URL",
        done: `${SPELLINGS} random decimal, octal, hexadecimal, Unicode, mapped and IPv6 spellings of addresses that are not public, and ${hostile.length} hostile URLs, were given as webhook URLs.`,
        figure: `None was accepted; a URL parser takes ${Math.floor((100 * parsed) / SPELLINGS)} % of the spellings for addresses.`,
        control: {
          done: `${CONTROL_SPELLINGS} spellings were given to a program without the check of private addresses.`,
          figure: `It accepted ${control.passed.length} of them.`,
          hasFailed: control.passed.length > 0,
        },
        seed: SEED,
      });
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

type SentPost = { answer: string[]; isFine: boolean; kind: string };

/** Sends one webhook for each response of many DNS scripts. Returns the connections by address. */
async function sendByScripts(count: number, allowPrivate: string[]) {
  const random = createSeededRandom(SEED);
  const { port, hits } = await listenAt([PARTNER, ...CANARIES]);
  const posts: SentPost[] = [];
  let now = 0;
  for (let i = 0; i < count; i++) {
    const script = generateDnsScript(random);
    let lookups = 0;
    const resolve: Resolve = async () => script[lookups++] ?? [];
    const lab = { allowHttp: true, allowPrivate };
    const { send, close } = createSender(lab, () => now, { resolve });
    for (const answer of script) {
      // A new host name forces a new connection. The minute is longer than the DNS cache keeps
      // names.
      now += 60_001;
      const url = `http://hook${lookups}.rebinding.example:${port}/`;
      const post = { url, trusted: false, timeoutMs: 1000, headers: {}, body: Buffer.from("{}") };
      const { kind } = await send(post);
      const isFine = answer.length > 0 && answer.every((address) => address === PARTNER);
      posts.push({ answer, isFine, kind });
    }
    await close();
  }
  return { posts, hits };
}

describe("a name that resolves to a public and later to a private address", () => {
  test(
    `no connection reaches a private address in ${SCRIPTS} random sequences of DNS responses`,
    { timeout: patient(300_000) },
    async () => {
      const { posts, hits } = await sendByScripts(SCRIPTS, [`${PARTNER}/32`]);
      const wrong = posts.filter(
        ({ answer, isFine, kind }) =>
          kind !== (isFine ? "responded" : answer.length > 0 ? "blocked" : "unresolvable"),
      );
      expect(wrong).toEqual([]);
      const taken = posts.filter(({ isFine }) => isFine).length;
      expect(hits).toEqual({ [PARTNER]: taken });
      expect(posts.length - taken).toBeGreaterThan(SCRIPTS / 2);
      if (!isRecording()) return;
      const control = await sendByScripts(CONTROL_SCRIPTS, EVERYTHING);
      const reached = CANARIES.filter((address) => (control.hits[address] ?? 0) > 0);
      recordClaim({
        group: "attack",
        claim: "A webhook is never sent to a private address, whatever DNS says",
        done: `${posts.length} webhooks were sent over ${SCRIPTS} random sequences of DNS responses, while canaries listened on ${CANARIES.join(", ")}.`,
        figure: `No connection reached a canary, and all ${taken} webhooks whose name resolved to public addresses only arrived.`,
        control: {
          done: `${control.posts.length} webhooks were sent without the check of private addresses.`,
          figure: `Connections reached the canaries on ${reached.join(", ")}.`,
          hasFailed: reached.length > 0,
        },
        seed: SEED,
      });
    },
  );

  test("an endpoint is blocked if its name resolves to a private address later", async () => {
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

  test("a name is resolved once per connection, which goes to the checked address", async () => {
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
