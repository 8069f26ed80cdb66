import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { readClockSource } from "../../src/app/clock-jumps.ts";

const MODULE = new URL("../../src/app/clock-jumps.ts", import.meta.url).href;
const NO_FILE = "/no/boot_id";

/**
 * Returns a script that calls the function with the source text `print` and the name of its clock.
 */
const scriptFor = (print: string): string => `
  import("${MODULE}").then(({ readClockSource }) =>
    (${print})(readClockSource(require("node:crypto").randomBytes, "${NO_FILE}")));`;

test("if there is no boot ID, all threads of a process give the clock the same name, and each process has its own name", async () => {
  const name = readClockSource(randomBytes, NO_FILE);
  expect(name).toMatch(/^process [\da-f]{32}$/);
  expect(readClockSource(randomBytes, NO_FILE)).toBe(name);
  const script = scriptFor('(name) => require("node:worker_threads").parentPort.postMessage(name)');
  const worker = new Worker(script, { eval: true });
  expect(await once(worker, "message")).toEqual([name]);
  await worker.terminate();
  const other = execFileSync(process.execPath, ["-e", scriptFor("(name) => console.log(name)")]);
  expect(other.toString()).toMatch(/^process [\da-f]{32}\n$/);
  expect(other.toString().trim()).not.toBe(name);
});
