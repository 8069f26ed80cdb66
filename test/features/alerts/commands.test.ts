import { expect, test } from "vitest";
import { createTerminal, startProgram } from "../../support/cli.ts";
import { SALON } from "../../support/samples.ts";

test("alerts test uses the channels of the running daemon, and exits with 6 if one fails", async () => {
  const { dataDir, deskbell: run } = createTerminal();
  await run(`catalog apply ${SALON}`);
  const channel = ["--alert-url", "http://127.0.0.1:9/"];
  startProgram(["serve", "--port", "0", "--data-dir", dataDir, ...channel]);
  await expect
    .poll(() => run("status").then(({ stdout }) => stdout))
    .toContain("running at http://127");
  expect(await run("alerts test")).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(/^--alert-url\tconnection refused\n/),
  });
});

test("alerts send refuses an empty text", async () => {
  const { deskbell } = createTerminal();
  expect(await deskbell("alerts send ''")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Give either a text or --service-failure."),
  });
});
