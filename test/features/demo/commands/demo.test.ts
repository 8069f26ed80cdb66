import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runProgram, createTempFolder } from "../../../support/cli.ts";
import { hasTmux, openTmux } from "../../../support/tmux.ts";

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

test("demo --tui without a terminal fails before it creates data", async () => {
  const folder = createTempFolder();
  const ran = await runProgram(["demo", "--tui"], { env: { TMPDIR: folder } });
  expect(ran).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("deliveries tail"),
  });
  expect(readdirSync(folder).filter((name) => name.startsWith("deskbell-demo-"))).toEqual([]);
});
