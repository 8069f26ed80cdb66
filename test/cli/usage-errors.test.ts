import { expect, onTestFinished, test, vi } from "vitest";
import { createTerminal } from "../support/cli.ts";

test.each([
  ["sevices list", "Unknown command 'sevices'. Did you mean services?", ""],
  ["keys creat", "Unknown command 'creat'. Did you mean create?", "keys"],
  ["keys -- --creat", "Unknown command '--creat'. Did you mean create?", "keys"],
  ["--nope", "Unknown option '--nope'.", ""],
  ["-5", "Unknown option '-5'.", ""],
  ["businesses list --jsno", "Unknown option '--jsno'. Did you mean --json?", "businesses list"],
  ["businesses list -qz a", "Unknown option '-z'.", "businesses list"],
  ["businesses list -5 --limt=3", "Unknown option '--limt=3'.", "businesses list"],
  ["keys show", "Missing argument <key>.", "keys show"],
  ["keys create --scope services.read", "Missing --name <name>.", "keys create"],
  ["keys show a. b.", "Too many arguments: a., b..", "keys show"],
  ["businesses list 'a but got 1: b'", "Too many arguments: a but got 1: b.", "businesses list"],
  ["keys create --name", "--name needs a value.", "keys create"],
  ["-q --data-dir", "--data-dir needs a value.", ""],
  ["keys list -q --business", "--business needs a value.", ""],
  [
    "keys create --name a --limit-minute=1.5",
    "Invalid --limit-minute '1.5'. Use a whole number from 1 to 1000000000.",
    "keys create",
  ],
  [
    "webhooks update till --timeout 60s",
    "Invalid --timeout '60s'. Use a duration from 1s to 30s.",
    "webhooks update",
  ],
])("the usage error of '%s' says %s", async (line, message, path) => {
  const { code, stdout, stderr } = await createTerminal().deskbell(line);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe(
    `error: ${message}\nfix: ${["deskbell", path, "--help"].filter(Boolean).join(" ")} (exit 2)\n`,
  );
});

test("a wrong value is named after its environment variable, unless the option is given", async () => {
  vi.stubEnv("DESKBELL_PORT", "many");
  onTestFinished(() => void vi.unstubAllEnvs());
  const messageOf = async (line: string) =>
    (await createTerminal().deskbell(line)).stderr.split("\n")[0];
  const range = "Use a whole number from 0 to 65535.";
  expect(await messageOf("serve")).toBe(`error: Invalid DESKBELL_PORT 'many'. ${range}`);
  expect(await messageOf("serve --port few")).toBe(`error: Invalid --port 'few'. ${range}`);
  expect(await messageOf("serve --port=-1")).toBe(`error: Invalid --port '-1'. ${range}`);
});
