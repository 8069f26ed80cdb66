import { expect, test } from "vitest";
import { programName } from "../../src/cli/program-name.ts";
import { BIN } from "../support/program.ts";

const CHECKOUT = BIN.replace("/bin/deskbell.js", "");

test.each([
  ["installed, on PATH", "/usr/local/bin/deskbell", "/home/ana", "deskbell"],
  [
    "by npx in a project that depends on it",
    "/srv/site/node_modules/.bin/deskbell",
    "/srv/site",
    "npx deskbell",
  ],
  ["from its checkout", BIN, CHECKOUT, "npx deskbell"],
  ["from elsewhere, by its path", BIN, "/", `.${BIN}`],
  ["from a folder beside its own", BIN, `${CHECKOUT}/data`, BIN],
])("started %s, hints say how", (_how, script, folder, name) => {
  expect(programName(script, folder)).toBe(name);
});
