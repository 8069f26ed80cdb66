import { expect, test } from "vitest";
import { CARD_PATHS } from "../../../src/features/mcp/paths.ts";
import { createTestApp } from "../../support/app.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { connect, openAgents } from "./support/agents.ts";

test("the MCP server card tells clients the URL of the MCP server", async () => {
  const agents = openAgents("salon");
  agents.rt.config.http.publicUrl = "https://book.example/shops";
  for (const path of CARD_PATHS) {
    const response = await agents.app.request(path);
    expect(response.headers.get("content-type")).toBe("application/mcp-server-card+json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toMatchObject({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: "example.book/deskbell",
      remotes: [{ type: "streamable-http", url: "https://book.example/shops/mcp" }],
    });
  }
  expect((await (await connect(agents, "/mcp")).listTools()).length).toBe(5);
});

test("a server without a published business has no MCP server card", async () => {
  const app = createTestApp(createTestRuntime());
  for (const path of CARD_PATHS) expect((await app.request(path)).status).toBe(404);
});
