import { expect, test } from "vitest";
import { programName } from "../../src/cli/run.ts";
import { BIN } from "../support/program.ts";

const CHECKOUT = BIN.replace("/bin/deskbell.js", "");

test.each([
  ["from PATH", "/usr/local/bin/deskbell", "/home/ana", "deskbell"],
  [
    "by npx in a project with the dependency",
    "/srv/site/node_modules/.bin/deskbell",
    "/srv/site",
    "npx deskbell",
  ],
  ["in its checkout", BIN, CHECKOUT, "npx deskbell"],
  ["by a path below the current folder", BIN, "/", `.${BIN}`],
  ["by a path outside the current folder", BIN, `${CHECKOUT}/data`, BIN],
])("hints name the program as it was started: %s", (_how, script, folder, name) => {
  expect(programName(script, folder)).toBe(name);
});
