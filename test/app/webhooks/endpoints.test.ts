import { describe, expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import {
  createEndpoint,
  type EndpointChanges,
  type EndpointRequest,
  MAX_ENDPOINTS,
  updateEndpoint,
} from "../../../src/app/webhooks/endpoints.ts";
import { AppError } from "../../../src/domain/errors.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const PUBLIC = async () => ["93.184.215.14", "2606:4700::1"];
const request = (changes: Partial<EndpointRequest> = {}): EndpointRequest => ({
  businessId: "biz_salon-aurora",
  keyId: null,
  name: "Website",
  url: "https://example.com/hook",
  events: ["service.updated"],
  allowPrivate: false,
  ...changes,
});

async function rejection(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

test("a new endpoint is active, has no duplicate event types, and its secret is encrypted", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const events = ["service.updated", "staff.updated", "service.updated"];
  const { endpoint, secret } = await createEndpoint(
    rt,
    request({ name: "  Website ", events }),
    PUBLIC,
  );
  expect(rt.store.endpoints.findById(endpoint.id)).toEqual(endpoint);
  expect(endpoint).toMatchObject({
    name: "Website",
    status: "ACTIVE",
    events: ["service.updated", "staff.updated"],
  });
  const [row] = rt.store.endpointSecrets.listValid(endpoint.id, rt.now());
  expect(row!.sealed.includes(secret)).toBe(false);
  expect(rt.secrets.decrypt(row!.sealed, row!.id)).toBe(secret);
  expect(() => rt.secrets.decrypt(row!.sealed, "whs_other")).toThrow(/cannot be decrypted/);
});

test("all issues of a new endpoint are reported together, with pointers and suggestions", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const events = ["service.updated", "service.update", "Staff.Created", "nonsense", 7];
  const error = await rejection(
    createEndpoint(rt, request({ name: " ", url: undefined, events }), PUBLIC),
  );
  expect(error.code).toBe("validation_failed");
  expect(error.issues).toEqual([
    { pointer: "#/name", code: "length", detail: "'name' must have 1 to 100 characters." },
    { pointer: "#/url", code: "required", detail: "'url' is missing." },
    {
      pointer: "#/events/1",
      code: "unknown_event",
      detail: "'service.update' is not an event type. Did you mean 'service.updated'?",
    },
    {
      pointer: "#/events/2",
      code: "unknown_event",
      detail: "'Staff.Created' is not an event type. Did you mean 'staff.created'?",
    },
    { pointer: "#/events/3", code: "unknown_event", detail: "'nonsense' is not an event type." },
    { pointer: "#/events/4", code: "type", detail: "An event type must be a string." },
  ]);
});

test.each([
  { changes: { name: undefined }, pointer: "#/name" },
  { changes: { name: 5 }, pointer: "#/name" },
  { changes: { name: "x".repeat(101) }, pointer: "#/name" },
  { changes: { url: 5 }, pointer: "#/url" },
  { changes: { events: undefined }, pointer: "#/events" },
  { changes: { events: "service.updated" }, pointer: "#/events" },
  { changes: { events: [] }, pointer: "#/events" },
])("an endpoint with $changes is rejected at $pointer", async ({ changes, pointer }) => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const error = await rejection(createEndpoint(rt, request(changes), PUBLIC));
  expect(error).toMatchObject({ code: "validation_failed", issues: [{ pointer }] });
});

test.each([
  {
    name: "plain http",
    url: "http://example.com/",
    addresses: ["1.1.1.1"],
    fix: /--allow-private.*--allow-http/,
  },
  { name: "a private address", url: "https://10.0.0.1/", addresses: [], fix: /--allow-private/ },
  {
    name: "a name that resolves to localhost",
    url: "https://example.com/",
    addresses: ["1.1.1.1", "::1"],
    fix: /--allow-private/,
  },
  { name: "a name without address", url: "https://exmaple.com/", addresses: [], fix: /spelling/ },
])("a URL with $name is unsafe, and nothing is stored", async ({ url, addresses, fix }) => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const error = await rejection(createEndpoint(rt, request({ url }), async () => addresses));
  expect(error).toMatchObject({
    code: "unsafe_url",
    issues: [{ pointer: "#/url", code: "unsafe_url" }],
  });
  expect(error.fix).toMatch(fix);
  expect(rt.store.endpoints.list()).toEqual([]);
});

describe("a partner whose URL is refused after the DNS lookup", () => {
  const REFUSED: [string, string[]][] = [
    ["an unknown name", []],
    ["a private address", ["10.0.0.5"]],
    ["one public and one private address", ["1.1.1.1", "::1"]],
  ];

  test("a partner gets the same error for every DNS result that makes a URL unsafe; the operator's log has the reason", async () => {
    const rt = createTestRuntime();
    addBusiness(rt);
    const { endpoint } = await createEndpoint(rt, request(), PUBLIC);
    const texts = new Set<string>();
    for (const [, addresses] of REFUSED) {
      const resolve = async () => addresses;
      const byPartner = [
        createEndpoint(rt, request({ keyId: "key_1", url: "https://in.example/" }), resolve),
        updateEndpoint(rt, endpoint.id, { url: "https://in.example/", byPartner: true }, resolve),
      ];
      for (const refused of byPartner) {
        const { code, message, fix, issues } = await rejection(refused);
        texts.add(JSON.stringify({ code, message, fix, issues }));
      }
    }
    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).toContain("The URL's host does not resolve to a public address.");
    expect(rt.logged.map(({ fields }) => fields["reason"])).toEqual(
      ["no address in DNS", "10.0.0.5", "::1"].flatMap((reason) =>
        Array.from({ length: 2 }, () => expect.stringContaining(reason)),
      ),
    );
  });

  test.each(REFUSED)(
    "the operator is told why a URL is refused after the DNS lookup: %s",
    async (_, addresses) => {
      const rt = createTestRuntime();
      addBusiness(rt);
      const { message } = await rejection(createEndpoint(rt, request(), async () => addresses));
      expect(message).toContain(addresses.at(-1) ?? "has no address in DNS");
    },
  );
});

test.each([
  { port: 22, isAllowed: false },
  { port: 81, isAllowed: false },
  { port: 6000, isAllowed: false },
  { port: 10_080, isAllowed: false },
  { port: 80, isAllowed: true },
  { port: 1024, isAllowed: true },
  { port: 8443, isAllowed: true },
])("an endpoint on port $port is allowed: $isAllowed", async ({ port, isAllowed }) => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const url = `https://example.com:${port}/hook`;
  const created = createEndpoint(rt, request({ url }), PUBLIC);
  if (isAllowed) return void (await created);
  const error = await rejection(created);
  expect(error).toMatchObject({
    code: "unsafe_url",
    message: `deskbell does not send to this URL. Port ${port} is not allowed.`,
  });
  expect(error.fix).toContain("443");
  // An endpoint that an earlier version created keeps its port.
  const { endpoint } = await createEndpoint(rt, request(), PUBLIC);
  rt.tx(() => rt.store.endpoints.update(endpoint.id, { ...endpoint, url }, rt.now()));
  await updateEndpoint(rt, endpoint.id, { name: "Shop", url, byPartner: true }, PUBLIC);
  // The operator may choose any port for a trusted URL.
  await createEndpoint(rt, request({ url, allowPrivate: true }), PUBLIC);
});

describe("a name with a control or format character", () => {
  test.each([
    ["a\x1b[2Jb", "U+001B"],
    ["a\nb", "U+000A"],
    ["a\0b", "U+0000"],
    ["a\x9bb", "U+009B"],
    ["a\u202eb", "U+202E"],
    ["a\u200bb", "U+200B"],
    ["a \u200d b", "U+200D"],
    ["a\u{e0041}b", "U+E0041"],
    ["a\ud800b", "U+D800"],
  ])(
    "a name with a control or format character is rejected at creation and update: $1",
    async (name, character) => {
      const rt = createTestRuntime();
      addBusiness(rt);
      const issue = {
        pointer: "#/name",
        code: "characters",
        detail: `'name' contains the character ${character}: use one line without control or invisible characters.`,
      };
      const { issues } = await rejection(createEndpoint(rt, request({ name }), PUBLIC));
      expect(issues).toEqual([issue]);
      const { endpoint } = await createEndpoint(rt, request(), PUBLIC);
      expect((await rejection(updateEndpoint(rt, endpoint.id, { name }))).issues).toEqual([issue]);
    },
  );

  test("an endpoint whose stored name has a control character can be updated without changing the name", async () => {
    const rt = createTestRuntime();
    addBusiness(rt);
    const { endpoint } = await createEndpoint(rt, request(), PUBLIC);
    rt.tx(() => rt.store.endpoints.update(endpoint.id, { ...endpoint, name: "a\x1bb" }, rt.now()));
    const events = ["staff.updated"];
    expect(await updateEndpoint(rt, endpoint.id, { events })).toMatchObject({ events });
  });

  test("a name may contain a format character that joins letters", async () => {
    const rt = createTestRuntime();
    addBusiness(rt);
    const name = "می\u200cخواهم 👩\u200d🍳";
    const { endpoint } = await createEndpoint(rt, request({ name }), PUBLIC);
    expect(endpoint.name).toBe(name);
  });
});

test("the URL of an endpoint is looked up in DNS only if all fields of the endpoint are valid", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  let lookups = 0;
  const resolve = async () => {
    lookups += 1;
    return [];
  };
  const broken = { name: "", events: ["nonsense"] };
  const error = await rejection(
    createEndpoint(rt, request({ ...broken, url: "ftp://x" }), resolve),
  );
  expect(error).toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining("(and 2 more)"),
  });
  expect(error.issues.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
    "#/name length",
    "#/url unsafe_url",
    "#/events/0 unknown_event",
  ]);
  expect(error.issues[1]?.detail).toBe(
    "deskbell does not send to this URL. 'ftp:' URLs are not supported.",
  );
  expect(await rejection(createEndpoint(rt, request(broken), resolve))).toMatchObject({
    code: "validation_failed",
  });
  expect(lookups).toBe(0);
  expect(await rejection(createEndpoint(rt, request(), resolve))).toMatchObject({
    code: "unsafe_url",
  });
  expect(lookups).toBe(1);
});

test.each([
  { sent: " https://example.com/hook\n", kept: "https://example.com/hook" },
  { sent: "https://example.com/hook?a=1#part", kept: "https://example.com/hook?a=1" },
  { sent: "HTTPS://Example.COM:443", kept: "https://example.com/" },
  {
    sent: "https://b\u00fccher.example/caf\u00e9",
    kept: "https://xn--bcher-kva.example/caf%C3%A9",
  },
])("the URL $sent is stored in normalized form: $kept", async ({ sent, kept }) => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const { endpoint } = await createEndpoint(rt, request({ url: sent }), PUBLIC);
  expect(rt.store.endpoints.findById(endpoint.id)).toMatchObject({ url: kept });
});

test("a URL that is too long after it is escaped is rejected at creation", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const url = `https://example.com/${"\u00e9".repeat(1000)}`;
  expect(await rejection(createEndpoint(rt, request({ url }), PUBLIC))).toMatchObject({
    code: "unsafe_url",
  });
});

describe("the endpoints of an API key", () => {
  function setUp() {
    const rt = createTestRuntime();
    addBusiness(rt);
    const createTestKey = (kind: "SECRET" | "RESTRICTED", maxEndpoints?: number) =>
      createKey(rt, {
        businessId: "biz_salon-aurora",
        name: "partner",
        kind,
        scopes: kind === "SECRET" ? [] : ["webhooks.write"],
        maxEndpoints,
      }).key.id;
    const create = (changes: Partial<EndpointRequest>) =>
      createEndpoint(rt, request(changes), PUBLIC);
    return { rt, createTestKey, create };
  }
  const urlOf = (n: number) => `https://example.com/${n}`;

  test.each([
    { maxEndpoints: undefined, most: 10 },
    { maxEndpoints: 3, most: 3 },
  ])(
    "an API key can have at most $most endpoints, and other keys can still create endpoints",
    async ({ maxEndpoints, most }) => {
      const { createTestKey, create } = setUp();
      const keyId = createTestKey("RESTRICTED", maxEndpoints);
      for (let n = 0; n < most; n++) await create({ keyId, url: urlOf(n) });
      expect(await rejection(create({ keyId, url: urlOf(most) }))).toMatchObject({
        code: "conflict",
        message: `This API key already has ${most} webhook endpoints, its maximum.`,
      });
      await create({ keyId: createTestKey("RESTRICTED"), url: urlOf(most) });
      await create({ keyId: null, url: urlOf(most) });
    },
  );

  test("two endpoints of an API key cannot have the same URL and events; the error names the first endpoint", async () => {
    const { createTestKey, create, rt } = setUp();
    const keyId = createTestKey("RESTRICTED");
    const events = ["service.updated", "staff.updated"];
    const { endpoint } = await create({ keyId, events });
    const same = { keyId, url: "HTTPS://example.com:443/hook#x", events: [...events].reverse() };
    expect(await rejection(create(same))).toMatchObject({
      code: "duplicate_endpoint",
      message: expect.stringContaining(endpoint.id),
      issues: [{ pointer: "#/url", code: "duplicate_endpoint" }],
    });
    const { endpoint: other } = await create({ keyId, events: ["staff.updated"] });
    const update = (changes: EndpointChanges) =>
      updateEndpoint(rt, other.id, { ...changes, byPartner: true }, PUBLIC);
    expect((await rejection(update({ events }))).code).toBe("duplicate_endpoint");
    await update({ name: "Shop", url: other.url });
  });

  test("a duplicate of another key's endpoint is refused only to an API key that may see that endpoint", async () => {
    const { createTestKey, create } = setUp();
    await create({ keyId: createTestKey("RESTRICTED") });
    await create({ keyId: createTestKey("RESTRICTED") });
    const secret = rejection(create({ keyId: createTestKey("SECRET") }));
    expect((await secret).code).toBe("duplicate_endpoint");
    // The operator may have reasons to send twice.
    await create({ keyId: null });
  });

  test("a partner can change other fields of an endpoint that has the same URL and events as another endpoint", async () => {
    const { createTestKey, create, rt } = setUp();
    const keyId = createTestKey("RESTRICTED");
    await create({ keyId });
    const { endpoint } = await create({ keyId, events: ["staff.updated"] });
    await updateEndpoint(rt, endpoint.id, { events: ["service.updated"] }, PUBLIC);
    const byPartner = { name: "Shop", timeoutMs: 2000, byPartner: true };
    expect(await updateEndpoint(rt, endpoint.id, byPartner, PUBLIC)).toMatchObject({
      name: "Shop",
      timeoutMs: 2000,
      events: ["service.updated"],
    });
  });
});

describe("updating an endpoint", () => {
  const resolveNothing = async () => [];

  /** Stores an endpoint with a URL that an earlier version accepted. */
  async function stored(url: string, allowPrivate = false) {
    const rt = createTestRuntime();
    addBusiness(rt);
    const { endpoint } = await createEndpoint(rt, request({ allowPrivate }), PUBLIC);
    rt.tx(() => rt.store.endpoints.update(endpoint.id, { ...endpoint, url }, rt.now()));
    return { rt, id: endpoint.id, current: () => rt.store.endpoints.findById(endpoint.id) };
  }

  test.each([
    { what: "whose name is no longer in DNS", url: "https://example.com/hook" },
    { what: "that the operator no longer allows", url: "http://10.0.0.1/hook" },
    { what: "that was stored without normalization", url: " https://example.com/hook#part" },
  ])("an endpoint with a URL $what can be renamed", async ({ url }) => {
    const { rt, id, current } = await stored(url);
    for (const changes of [{ name: "Shop" }, { name: "Shop", url }])
      await updateEndpoint(rt, id, { ...changes, byPartner: true }, resolveNothing);
    expect(current()).toMatchObject({ name: "Shop", url });
  });

  test("the operator can keep a name that two endpoints share, but cannot give an endpoint the name of another endpoint", async () => {
    const { rt, id } = await stored("https://example.com/hook");
    // The second endpoint has the name of the first, which is allowed when it is created.
    const url = "https://example.com/other";
    const { endpoint: other } = await createEndpoint(rt, request({ url }), PUBLIC);
    await updateEndpoint(rt, other.id, { name: other.name, timeoutMs: 5000 }, PUBLIC);
    await updateEndpoint(rt, other.id, { name: "Shop" }, PUBLIC);
    expect(
      await rejection(updateEndpoint(rt, other.id, { name: "Website" }, PUBLIC)),
    ).toMatchObject({
      code: "conflict",
      message: `The endpoint ${id} is already named 'Website'.`,
    });
    await updateEndpoint(rt, other.id, { name: "Website", byPartner: true }, PUBLIC);
    expect(rt.store.endpoints.findById(other.id)).toMatchObject({
      name: "Website",
      timeoutMs: 5000,
    });
  });

  test("another spelling of the same URL keeps the failure streak and allowPrivate", async () => {
    const { rt, id, current } = await stored("http://10.0.0.1/hook", true);
    const streak = { ...current()!, failingSince: rt.now(), failureCount: 7 };
    rt.store.endpoints.updateStreak(id, streak);
    await updateEndpoint(
      rt,
      id,
      { url: " HTTP://10.0.0.1:80/hook#x", byPartner: true },
      resolveNothing,
    );
    expect(current()).toMatchObject({
      url: "http://10.0.0.1/hook",
      allowPrivate: true,
      failureCount: 7,
    });
  });

  test("the URL of an endpoint is checked if the URL is new or no longer trusted", async () => {
    const { rt, id, current } = await stored("http://10.0.0.1/hook", true);
    const unsafe = { code: "unsafe_url" };
    expect(
      await rejection(updateEndpoint(rt, id, { url: "https://exmaple.com/" }, resolveNothing)),
    ).toMatchObject(unsafe);
    expect(
      await rejection(updateEndpoint(rt, id, { allowPrivate: false }, resolveNothing)),
    ).toMatchObject(unsafe);
    expect(current()).toMatchObject({ url: "http://10.0.0.1/hook", allowPrivate: true });
  });
});

test("a trusted endpoint can use http and localhost", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const url = "http://localhost:8080/hook";
  const { endpoint } = await createEndpoint(rt, request({ url, allowPrivate: true }));
  expect(endpoint).toMatchObject({ url, allowPrivate: true });
});

test("each business has at most 50 endpoints", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const other = addBusiness(rt, "bar-nova");
  for (let i = 0; i < MAX_ENDPOINTS; i++) await createEndpoint(rt, request(), PUBLIC);
  expect(await rejection(createEndpoint(rt, request(), PUBLIC))).toMatchObject({
    code: "conflict",
    message: "This business already has 50 webhook endpoints, the maximum.",
  });
  await createEndpoint(rt, request({ businessId: other.id }), PUBLIC);
  expect(rt.store.endpoints.list("biz_salon-aurora")).toHaveLength(MAX_ENDPOINTS);
  expect(rt.store.endpoints.list()).toHaveLength(MAX_ENDPOINTS + 1);
});
