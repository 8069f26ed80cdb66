import { describe, expect, test } from "vitest";
import {
  createEndpoint,
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

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

test("an endpoint is stored active, its repeated events folded, its secret sealed beside it", async () => {
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
  expect(rt.secrets.open(row!.sealed, row!.id)).toBe(secret);
  expect(() => rt.secrets.open(row!.sealed, "whs_other")).toThrow(/does not open/);
});

test("all mistakes are told at once, each with its place and the name that was meant", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const events = ["service.updated", "service.update", "Staff.Created", "nonsense", 7];
  const error = await refusal(
    createEndpoint(rt, request({ name: " ", url: undefined, events }), PUBLIC),
  );
  expect(error.code).toBe("validation_failed");
  expect(error.issues).toEqual([
    { pointer: "#/name", code: "length", detail: "'name' must have 1 to 100 characters." },
    { pointer: "#/url", code: "required", detail: "'url' is missing." },
    {
      pointer: "#/events/1",
      code: "unknown_event",
      detail: "'service.update' is not an event name. Did you mean 'service.updated'?",
    },
    {
      pointer: "#/events/2",
      code: "unknown_event",
      detail: "'Staff.Created' is not an event name. Did you mean 'staff.created'?",
    },
    { pointer: "#/events/3", code: "unknown_event", detail: "'nonsense' is not an event name." },
    { pointer: "#/events/4", code: "type", detail: "An event name must be a text." },
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
])("$changes is refused at $pointer", async ({ changes, pointer }) => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const error = await refusal(createEndpoint(rt, request(changes), PUBLIC));
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
    name: "a name that leads home",
    url: "https://example.com/",
    addresses: ["1.1.1.1", "::1"],
    fix: /--allow-private/,
  },
  { name: "a name without address", url: "https://exmaple.com/", addresses: [], fix: /spelling/ },
])("$name is refused as unsafe, and nothing is stored", async ({ url, addresses, fix }) => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const error = await refusal(createEndpoint(rt, request({ url }), async () => addresses));
  expect(error).toMatchObject({
    code: "unsafe_url",
    issues: [{ pointer: "#/url", code: "unsafe_url" }],
  });
  expect(error.fix).toMatch(fix);
  expect(rt.store.endpoints.list()).toEqual([]);
});

test("what a URL is by itself is told with all other mistakes; who answers there is looked up when there are none", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  let lookups = 0;
  const resolve = async () => {
    lookups += 1;
    return [];
  };
  const broken = { name: "", events: ["nonsense"] };
  const error = await refusal(createEndpoint(rt, request({ ...broken, url: "ftp://x" }), resolve));
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
  expect(await refusal(createEndpoint(rt, request(broken), resolve))).toMatchObject({
    code: "validation_failed",
  });
  expect(lookups).toBe(0);
  expect(await refusal(createEndpoint(rt, request(), resolve))).toMatchObject({
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
])("$sent is kept as it is called: $kept", async ({ sent, kept }) => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const { endpoint } = await createEndpoint(rt, request({ url: sent }), PUBLIC);
  expect(rt.store.endpoints.findById(endpoint.id)).toMatchObject({ url: kept });
});

test("a URL whose escapes make it too long to be called is refused when it is sent, not at each delivery", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const url = `https://example.com/${"\u00e9".repeat(1000)}`;
  expect(await refusal(createEndpoint(rt, request({ url }), PUBLIC))).toMatchObject({
    code: "unsafe_url",
  });
});

describe("changing an endpoint", () => {
  const nobody = async () => [];

  /** One on file as an earlier version wrote it. */
  async function stored(url: string, allowPrivate = false) {
    const rt = createTestRuntime();
    addBusiness(rt);
    const { endpoint } = await createEndpoint(rt, request({ allowPrivate }), PUBLIC);
    rt.tx(() => rt.store.endpoints.update(endpoint.id, { ...endpoint, url }, rt.now()));
    return { rt, id: endpoint.id, current: () => rt.store.endpoints.findById(endpoint.id) };
  }

  test.each([
    { what: "whose name has left DNS", url: "https://example.com/hook" },
    { what: "that the operator allows no more", url: "http://10.0.0.1/hook" },
    { what: "that was stored as it was sent", url: " https://example.com/hook#part" },
  ])("a URL $what does not keep anybody from changing the rest", async ({ url }) => {
    const { rt, id, current } = await stored(url);
    for (const changes of [{ name: "Shop" }, { name: "Shop", url }])
      await updateEndpoint(rt, id, { ...changes, byPartner: true }, nobody);
    expect(current()).toMatchObject({ name: "Shop", url });
  });

  test("another spelling of the same URL is no change: it keeps its record and the operator's trust", async () => {
    const { rt, id, current } = await stored("http://10.0.0.1/hook", true);
    const streak = { ...current()!, failingSince: rt.now(), failureCount: 7 };
    rt.store.endpoints.updateStreak(id, streak);
    await updateEndpoint(rt, id, { url: " HTTP://10.0.0.1:80/hook#x", byPartner: true }, nobody);
    expect(current()).toMatchObject({
      url: "http://10.0.0.1/hook",
      allowPrivate: true,
      failureCount: 7,
    });
  });

  test("another URL is judged, and so is one that the operator trusts no more", async () => {
    const { rt, id, current } = await stored("http://10.0.0.1/hook", true);
    const unsafe = { code: "unsafe_url" };
    expect(
      await refusal(updateEndpoint(rt, id, { url: "https://exmaple.com/" }, nobody)),
    ).toMatchObject(unsafe);
    expect(await refusal(updateEndpoint(rt, id, { allowPrivate: false }, nobody))).toMatchObject(
      unsafe,
    );
    expect(current()).toMatchObject({ url: "http://10.0.0.1/hook", allowPrivate: true });
  });
});

test("localhost is found, over http, for an endpoint that the operator trusts", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const url = "http://localhost:8080/hook";
  const { endpoint } = await createEndpoint(rt, request({ url, allowPrivate: true }));
  expect(endpoint).toMatchObject({ url, allowPrivate: true });
});

test("a business has at most 50 live endpoints, whatever another has", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const other = addBusiness(rt, "bar-nova");
  for (let i = 0; i < MAX_ENDPOINTS; i++) await createEndpoint(rt, request(), PUBLIC);
  expect((await refusal(createEndpoint(rt, request(), PUBLIC))).code).toBe("conflict");
  await createEndpoint(rt, request({ businessId: other.id }), PUBLIC);
  expect(rt.store.endpoints.list("biz_salon-aurora")).toHaveLength(MAX_ENDPOINTS);
  expect(rt.store.endpoints.list()).toHaveLength(MAX_ENDPOINTS + 1);
});
