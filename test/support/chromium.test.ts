import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHROMIUM, launch } from "./chromium.ts";

/** Returns the numbers of the running processes whose command line has a text. */
const listProcesses = (text: string): string[] =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text);
    } catch {
      // The process has ended since the folder was listed.
      return false;
    }
  });

test("a browser that a test closes leaves no process behind", async (context) => {
  if (!existsSync(CHROMIUM)) context.skip(`needs ${CHROMIUM}: apt-get install chromium`);
  if (!existsSync("/proc")) context.skip("needs /proc");
  const closing: (() => Promise<void>)[] = [];
  const { profile } = await launch([], (close) => closing.push(close));
  expect(listProcesses(profile).length).toBeGreaterThan(0);
  for (const close of closing) await close();
  await expect.poll(() => listProcesses(profile)).toEqual([]);
});
