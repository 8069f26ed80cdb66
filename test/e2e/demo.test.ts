import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runProgram, startProgram, createTempFolder } from "../support/cli.ts";
import { hasTmux, openTmux } from "../support/tmux.ts";

/** Splits a printed command line as a shell would. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

test("the demo delivers a signed webhook, prints a working curl command, and cleans up on ctrl-c", async () => {
  const demo = startProgram(["demo", "--port", "0"]);
  await demo.waitForOutput(
    / {2}--> service_price\.updated evt_\w+\n <-- {2}200 POST http:\/\/127\.0\.0\.1:\d+\/hook {2}\d+ ms {2}signature ok\n/,
  );
  expect(demo.output()).toMatch(
    /✓ seeded {4}cafe-lumen 6\d dishes · salon-aurora 2\d services · kita-live 1\d events\n/,
  );

  const [, tried = ""] = await demo.waitForOutput(/^try: {2}(curl -H .*)$/m);
  const [, , header = "", url = ""] = shellWords(tried);
  const answer = await fetch(url, { headers: [header.split(": ") as [string, string]] });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ variants: expect.any(Array) })]),
  });

  const [, dataDir = ""] = await demo.waitForOutput(/✓ data +(\S+) /);
  const [, command = ""] = await demo.waitForOutput(/^ +\S.* (services update .*)$/m);
  expect(await runProgram(shellWords(command))).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("3 webhooks to send"),
  });
  await demo.waitForOutput(/(?:signature ok[^]*){6}/);
  await demo.waitForOutput(/approve or decline it by/);

  demo.child.kill("SIGINT");
  const { code, stderr } = await demo.waitForExit();
  expect(code).toBe(0);
  // The log has the request that waits for an answer, and nothing else. A busy machine may run the
  // periodic jobs late.
  const logged = stderr.split("\n").filter((line) => !line.includes("A periodic job ran late."));
  expect(logged).toEqual([expect.stringContaining("approve or decline it by"), ""]);
  expect(existsSync(dataDir)).toBe(false);
});

test("the demo finds free ports, and on SIGTERM deletes its data unless --keep is set", async () => {
  // A blocker fails to listen if another process already uses its port. The port is in use in both
  // cases.
  for (const port of [4100, 4200]) {
    const blocker = createServer()
      .on("error", () => {})
      .listen(port, "127.0.0.1");
    onTestFinished(() => void blocker.close());
  }
  const folder = createTempFolder();
  const demo = startProgram(["demo", "--keep"], { env: { TMPDIR: folder } });
  const [, api, receiver] = await demo.waitForOutput(
    /✓ API +http:\/\/127\.0\.0\.1:(\d+)\/v1 +docs http:\/\/127\.0\.0\.1:\1\/docs\n✓ receiver +http:\/\/127\.0\.0\.1:(\d+)\//,
  );
  expect([api, receiver]).not.toContain("4100");
  expect([api, receiver]).not.toContain("4200");
  const [, dataDir = ""] = await demo.waitForOutput(/✓ data +(\S+) \(kept\)/);
  demo.child.kill("SIGTERM");
  expect(await demo.waitForExit()).toMatchObject({ code: 0 });
  expect(existsSync(dataDir)).toBe(true);

  const other = startProgram(["demo"], { env: { TMPDIR: folder } });
  const [, gone = ""] = await other.waitForOutput(/✓ data +(\S+) \(removed at exit/);
  await other.waitForOutput(/^try:/m);
  other.child.kill("SIGTERM");
  expect(await other.waitForExit()).toMatchObject({ code: 0 });
  expect(existsSync(gone)).toBe(false);
});

test("the demo reports that a given port is in use, and leaves no data", async () => {
  const folder = createTempFolder();
  const blocker = createServer();
  await new Promise<void>((resolve) => void blocker.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void blocker.close());
  const { port } = blocker.address() as { port: number };
  const { code, stdout, stderr } = await runProgram(["demo", "--port", String(port)], {
    env: { TMPDIR: folder },
  });
  expect({ code, stderr }).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`Port ${port} is in use.`),
  });
  expect(existsSync(/✓ data +(\S+)/.exec(stdout)?.[1] ?? folder)).toBe(false);
});

test.runIf(hasTmux)(
  "demo --tui shows the first deliveries, and q ends the demo and removes its data",
  async () => {
    const folder = createTempFolder();
    const terminal = openTmux(100, 30);
    terminal.press("-l", `export TMPDIR=${folder}`);
    terminal.press("Enter");
    await terminal.start("demo", "--tui", "--port", "0");
    await terminal.waitForText(/● live[^]*✓ delivered +200 service_price\.updated/);
    const folders = readdirSync(folder).filter((name) => name.startsWith("deskbell-demo-"));
    expect(folders).toHaveLength(1);
    await vi.waitFor(() =>
      expect(readFileSync(join(folder, folders[0] ?? "", "demo.log"), "utf8")).toContain(
        "approve or decline it",
      ),
    );
    terminal.press("q");
    const after = await terminal.waitForText(/exit=\d+ /);
    expect(after).toContain("exit=0 ");
    expect(after).toContain("✓ API");
    expect(after).not.toContain("-->");
    expect(after).not.toContain("approve or decline it");
    expect(readdirSync(folder).filter((name) => name.startsWith("deskbell-demo-"))).toEqual([]);
  },
);
