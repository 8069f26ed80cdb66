import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { runProgram, createTempFolder } from "../../../support/cli.ts";

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
