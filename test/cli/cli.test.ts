import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { addBusiness, subscribe } from "../support/delivery.ts";
import { createTerminal } from "../support/cli.ts";

const HOSTILE = 'x\n\x1b[2J\x7f\u009b2J\u202e\u2066\u{e0041}می\u200cخ"';

/** A data folder with an endpoint whose name an earlier version accepted. */
async function withHostileName(isTTY: boolean) {
  const terminal = createTerminal({ isTTY });
  const rt = openRuntime(readConfig({ dataDir: terminal.dataDir }, {}), 5000);
  const { endpoint } = await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  rt.tx(() => rt.store.endpoints.update(endpoint.id, { ...endpoint, name: HOSTILE }, rt.now()));
  rt.close();
  return { ...terminal, id: endpoint.id };
}

test.each(["webhooks list", "webhooks show whe_"])(
  "%s --json on a terminal escapes control and format characters without changing the data",
  async (line) => {
    const { deskbell, id } = await withHostileName(true);
    const { stdout } = await deskbell(`${line.replace("whe_", id)} --json`);
    expect(stdout).toContain(String.raw`\u007f\u009b2J\u202e\u2066\udb40\udc41`);
    expect(stdout).not.toMatch(/[\p{Cf}\x00-\x09\x0b-\x1f\x7f-\x9f]/u);
    const { data } = JSON.parse(stdout) as { data: { name: string } | { name: string }[] };
    expect([data].flat()[0]!.name).toBe(HOSTILE);
  },
);

test("--json in a pipe is plain JSON", async () => {
  const { deskbell, id } = await withHostileName(false);
  const { stdout } = await deskbell(`webhooks show ${id} --json`);
  expect(stdout).toContain("\u202e");
  expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  expect((JSON.parse(stdout) as { data: { name: string } }).data.name).toBe(HOSTILE);
});

test("a line break in a file name cannot forge a message", async () => {
  const { deskbell, dataDir } = createTerminal({ isTTY: true });
  const { stderr } = await deskbell(`init '${dataDir}-a\nerror: forged'`);
  expect(stderr).toContain("a␊error: forged");
  expect(stderr).not.toMatch(/^error: forged/m);
  expect(stderr.split("\n").length).toBeGreaterThan(4);
});
