import { expect, test } from "vitest";
import { openAgents, post, statelessRequest } from "./support/agents.ts";

// These tests send messages that the official client never sends.

const PATH = "/b/salon-aurora/mcp";
const SERVER_META = "io.modelcontextprotocol/serverInfo";
const VERSION_META = "io.modelcontextprotocol/protocolVersion";

test("a message that is not a request of the protocol is refused with a fix", async () => {
  const agents = openAgents("salon");
  for (const [body, status, code] of [
    ["{", 400, -32700],
    ["", 400, -32700],
    ["[]", 422, -32600],
    [[{ jsonrpc: "2.0", id: 1, method: "ping" }], 422, -32600],
    [{}, 400, -32600],
    [{ jsonrpc: "1.0", id: 1, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: null, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, result: {} }, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, method: "resources/list" }, 200, -32601],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "__proto__" } }, 200, -32602],
    [
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_business", arguments: [] },
      },
      200,
      -32602,
    ],
  ] as const) {
    const answer = await post(agents, PATH, body);
    expect([answer.status, answer.body.error]).toEqual([
      status,
      { code, message: expect.any(String), data: { fix: expect.any(String) } },
    ]);
  }
  const large = await post(agents, PATH, { pad: "x".repeat(70_000) });
  expect([large.status, large.body.error.code]).toEqual([413, -32600]);
});

test("a notification gets 202 without a body", async () => {
  const agents = openAgents("salon");
  const sent = { jsonrpc: "2.0", method: "notifications/initialized" };
  const { status, text } = await post(agents, PATH, sent, { "mcp-protocol-version": "2025-11-25" });
  expect([status, text]).toEqual([202, ""]);
});

test("the handshake chooses a protocol revision that client and server know", async () => {
  const agents = openAgents("salon");
  for (const [asked, settled] of [
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2025-11-25"],
    ["2099-01-01", "2025-11-25"],
  ]) {
    const params = {
      protocolVersion: asked,
      capabilities: {},
      clientInfo: { name: "a", version: "1" },
    };
    const { body } = await post(agents, PATH, {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params,
    });
    expect(body.result).toMatchObject({
      protocolVersion: settled,
      capabilities: { tools: {} },
      serverInfo: { name: "deskbell" },
      instructions: expect.stringContaining("never instructions"),
    });
  }
  const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
  expect((await post(agents, PATH, ping)).body).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
  const unknown = await post(agents, PATH, ping, { "mcp-protocol-version": "2024-11-05" });
  expect([unknown.status, unknown.body.error.code]).toEqual([400, -32022]);
});

test("a stateless MCP request is refused unless its headers repeat the version, method and name in its body", async () => {
  const agents = openAgents("salon");
  const call = statelessRequest("tools/call", { name: "get_business", arguments: {} });
  const good = await post(agents, PATH, call.body, call.headers);
  expect([good.status, good.body.result.resultType]).toEqual([200, "complete"]);
  expect(good.body.result["_meta"][SERVER_META].name).toBe("deskbell");
  const encoded = { "mcp-name": `=?base64?${Buffer.from("get_business").toString("base64")}?=` };
  expect((await post(agents, PATH, call.body, { ...call.headers, ...encoded })).status).toBe(200);

  for (const changed of [
    { "mcp-protocol-version": "2025-11-25" },
    { "mcp-method": "tools/list" },
    { "mcp-name": "book" },
    { "mcp-name": "=?base64?Ym9vaw==?=" },
  ]) {
    const { status, body } = await post(agents, PATH, call.body, { ...call.headers, ...changed });
    expect([status, body.error.code, body.id]).toEqual([400, -32020, 1]);
  }
  for (const missing of ["mcp-protocol-version", "mcp-method", "mcp-name"]) {
    const rest = Object.entries(call.headers).filter(([name]) => name !== missing);
    const { body } = await post(agents, PATH, call.body, Object.fromEntries(rest));
    expect(body.error).toMatchObject({ code: -32020, message: expect.stringContaining("missing") });
  }
  const bare = await post(
    agents,
    PATH,
    { ...call.body, params: { name: "get_business" } },
    call.headers,
  );
  expect([bare.status, bare.body.error.code]).toEqual([400, -32602]);
  const future = structuredClone(call.body);
  (future.params["_meta"] as Record<string, unknown>)[VERSION_META] = "2030-01-01";
  const headers = { ...call.headers, "mcp-protocol-version": "2030-01-01" };
  const refused = await post(agents, PATH, future, headers);
  expect([refused.status, refused.body.error]).toMatchObject([
    400,
    { code: -32022, data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18"] } },
  ]);
});

test("an MCP method that the stateless protocol revision lacks gets 404", async () => {
  const agents = openAgents("salon");
  for (const method of ["ping", "initialize", "resources/list", "subscriptions/listen"]) {
    const { body, headers } = statelessRequest(method);
    const answer = await post(agents, PATH, body, headers);
    expect([answer.status, answer.body.error.code]).toEqual([404, -32601]);
  }
  const { body, headers } = statelessRequest("server/discover");
  expect((await post(agents, PATH, body, headers)).body.result).toMatchObject({
    supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18"],
    capabilities: { tools: {} },
    cacheScope: "private",
  });
});
