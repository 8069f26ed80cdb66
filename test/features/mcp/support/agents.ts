import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { createKey } from "../../../../src/app/keys.ts";
import type { Scope } from "../../../../src/domain/api-key.ts";
import { businessId } from "../../../../src/domain/catalog/object-id.ts";
import { type Preset, readPreset } from "../../../../src/platform/assets.ts";
import type { App } from "../../../../src/http/app.ts";
import { createTestApp } from "../../../support/app.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";

// Opens the sample businesses for agents, and clients of the official SDK.

export const VERSIONS = ["2026-07-28", "2025-11-25"] as const;
export type Version = (typeof VERSIONS)[number];

/** Returns a sample business with its public page, which samples describe but do not open. */
const publish = (text: string): string => text.replace("publicPage: {", "$& enabled: true,");

export const load = (rt: TestRuntime, text: string): void =>
  void applyCatalog(rt, [{ name: "catalog.yaml", text }], { seedingAt: rt.now() });

export type Agents = { rt: TestRuntime; app: App };

/** Opens published sample businesses on one server. */
export function openAgents(...presets: Preset[]): Agents {
  const rt = createTestRuntime();
  for (const preset of presets) load(rt, publish(readPreset(preset)));
  return { rt, app: createTestApp(rt) };
}

const NO_LIMITS = { limitMinute: 1_000_000, limitHour: 1_000_000, maxBookingsDay: 1_000_000 };

export const ALL_SCOPES: readonly Scope[] = ["services.read", "bookings.write", "tickets.write"];

/** Returns the secret of a new key. */
export const addKey = (rt: TestRuntime, slug: string, scopes = ALL_SCOPES): string =>
  createKey(rt, {
    businessId: businessId(slug),
    kind: "RESTRICTED",
    name: "Agent",
    scopes: [...scopes],
    ...NO_LIMITS,
  }).secret;

export type Result = {
  isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it with what they expect
  body: any;
  bytes: number;
};

export type Agent = {
  listTools: () => Promise<Tool[]>;
  call: (name: string, args?: object) => Promise<Result>;
  client: Client;
};
export type Tool = {
  name: string;
  description?: string;
  inputSchema: { properties?: Record<string, object>; required?: string[] };
};

/** Connects the official client to an endpoint, without a socket. */
export async function connect(
  { app }: Agents,
  path: string,
  { secret, version = "2026-07-28" }: { secret?: string; version?: Version } = {},
): Promise<Agent> {
  const statuses: number[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:4100${path}`), {
    requestInit: { headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` } },
    fetch: async (url, init) => {
      const response = await app.request(new URL(String(url)).pathname, init);
      statuses.push(response.status);
      return response;
    },
  });
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: version === "2026-07-28" ? { pin: version } : "legacy" } },
  );
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  return {
    client,
    listTools: async () => (await client.listTools()).tools as Tool[],
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
      const [{ text }] = result.content as unknown as [{ text: string }];
      expect(JSON.parse(text)).toEqual(result.structuredContent);
      return {
        isError: result.isError === true,
        body: result.structuredContent,
        bytes: Buffer.byteLength(JSON.stringify(result)),
      };
    },
  };
}

export type Answer = {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it with what they expect
  body: any;
  text: string;
};

const META = "io.modelcontextprotocol";

/** Returns a request of the stateless revision, and the headers that it needs. */
export const statelessRequest = (method: string, params: Record<string, unknown> = {}) => ({
  headers: {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(method === "tools/call" && { "mcp-name": String(params["name"]) }),
  } as Record<string, string>,
  body: {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        [`${META}/protocolVersion`]: "2026-07-28",
        [`${META}/clientCapabilities`]: {},
        [`${META}/clientInfo`]: { name: "test", version: "1.0.0" },
      },
    } as Record<string, unknown>,
  },
});

export async function post(
  { app }: Pick<Agents, "app">,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await app.request(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isEmpty = text === "";
  return {
    status: response.status,
    headers: response.headers,
    body: isEmpty ? undefined : JSON.parse(text),
    text,
  };
}
