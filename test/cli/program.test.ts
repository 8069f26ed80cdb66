import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { CommandSpec, CommandGroup } from "../../src/cli/command.ts";
import { loadCommand } from "../../src/cli/load-command.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { FEATURES } from "../../src/features/index.ts";
import { withEnvironment, text } from "../../src/cli/flags.ts";
import { rootHelp } from "../../src/cli/root-help.ts";
import { readConfig } from "../../src/config.ts";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { SALON } from "../support/samples.ts";

const pathsOf = (
  specs: readonly (CommandSpec | CommandGroup)[],
  before = "",
): { path: string; spec: CommandSpec }[] =>
  specs.flatMap((spec) =>
    "commands" in spec
      ? pathsOf(spec.commands, `${before}${spec.name} `)
      : [{ path: before + spec.name, spec }],
  );
const commands = pathsOf(await Promise.all(COMMANDS.map(loadCommand)));

test.each(COMMANDS)("the program's help shows the summary of the command $name", async (entry) => {
  const { name, about } = entry;
  expect(await loadCommand(entry)).toMatchObject({ name, about });
  const { stdout } = await createTerminal().deskbell("--help");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(` ${name} ${about} `);
});

test.each(["--help", "-h", "help", "--json --help", "--help keys"])(
  "%s shows the help of the program",
  async (line) => {
    const { deskbell } = createTerminal();
    const { code, stdout, stderr } = await deskbell(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe((await deskbell("--help")).stdout);
  },
);

test.each([
  ["help keys", "keys"],
  ["help keys create", "keys create"],
  ["keys help create", "keys create"],
  ["help staff hours update", "staff hours update"],
])("%s shows the help of %s", async (line, path) => {
  const { deskbell } = createTerminal();
  const { stdout } = await deskbell(`${path} --help`);
  expect(stdout).toContain(`Usage: deskbell ${path} [options]`);
  expect(await deskbell(line)).toMatchObject({ code: 0, stdout, stderr: "" });
});

test("the program's help lists each command once", () => {
  const [, list = ""] = rootHelp("deskbell", 200).split("\nBegin:\n");
  const listed = [...list.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual([...COMMANDS.map(({ name }) => name), "help"].toSorted());
});

test("the program's help lists each command of a feature after the core command that the feature names", () => {
  const names = COMMANDS.map(({ name }) => name);
  const commands = FEATURES.flatMap((feature) => feature.commands ?? []);
  expect(commands.length).toBeGreaterThan(0);
  const found = commands.map(({ name, after }) => {
    const alike = commands.filter((other) => other.after === after).map((other) => other.name);
    const before = names.slice(0, names.indexOf(name));
    return after === null || before.findLast((other) => !alike.includes(other));
  });
  expect(found).toEqual(commands.map(({ after }) => after ?? true));
});

test("the program's help is wrapped between words on a narrow terminal", () => {
  const lines = rootHelp("deskbell", 80).split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(rootHelp("deskbell", 200).replaceAll(/\s+/g, " ")).toBe(
    lines.join(" ").replaceAll(/\s+/g, " "),
  );
});

test.each(commands)(
  "$path --help shows at least two examples of that command",
  async ({ path }) => {
    const { deskbell } = createTerminal();
    const { code, stdout, stderr } = await deskbell(`${path} --help`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const examples =
      stdout.slice(stdout.indexOf("\nExamples:\n")).match(/^ {2}deskbell .*/gm) ?? [];
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const example of examples)
      expect(example).toMatch(new RegExp(`^ {2}deskbell ${path}(?: |$)`));
  },
);

test.each(commands)("the examples in the help of $path use only its options", ({ spec }) => {
  const global = ["data-dir", "business", "json", "yes"];
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const dryRun = spec.supportsDryRun ? ["dry-run"] : [];
  const known = new Set([...global, ...dryRun, ...Object.keys(spec.flags).map(kebab)]);
  const used = spec.examples.flatMap((line) =>
    [...line.matchAll(/--([a-z-]+)/g)].map(([, name]) => name),
  );
  expect(used.filter((name) => !known.has(name ?? ""))).toEqual([]);
});

test.each([
  [
    "sevices list",
    /^error: Unknown command 'sevices'\. Did you mean services\?\nfix: deskbell --help \(exit 2\)\n$/,
  ],
  [
    "keys creat",
    /^error: Unknown command 'creat'\. Did you mean create\?\nfix: deskbell keys --help \(exit 2\)\n$/,
  ],
  [
    "help sevices",
    /^error: Unknown command 'sevices'\. Did you mean services\?\nfix: deskbell --help \(exit 2\)\n$/,
  ],
  ["help keys nope", /^error: Unknown command 'nope'\.\nfix: deskbell keys --help \(exit 2\)\n$/],
  [
    "keys help creat",
    /^error: Unknown command 'creat'\. Did you mean create\?\nfix: deskbell keys/,
  ],
  [
    "businesses list --jsno",
    /Unknown option '--jsno'\. Did you mean --json\?\nfix: deskbell businesses list --help/,
  ],
  ["keys show", /Missing argument <key>\./],
  ["keys create --scope services.read", /Missing --name <name>\./],
  ["keys create --name", /^error: --name needs a value\.\nfix: deskbell keys create --help/],
  [
    "keys create --name a --limit-minute 1.5",
    /Invalid --limit-minute '1\.5'\. Use a whole number from 1 to 1000000000\./,
  ],
  [
    "keys rotate key_1 --overlap soon",
    /Invalid --overlap 'soon'\. Use a number with s, m, h or d, such as 24h\./,
  ],
  [
    "webhooks update till --timeout 60s",
    /Invalid --timeout '60s'\. Use a duration from 1s to 30s\./,
  ],
  [
    "deliveries list --event servce.updated",
    /There is no event type 'servce\.updated'\. Did you mean 'service\.updated'\?\nfix: deskbell events types/,
  ],
  ["events list --type nothing", /There is no event type 'nothing'\.\nfix: deskbell events types/],
  ["deliveries list --status LOST", /Invalid --status 'LOST'\. Allowed choices are PENDING, /],
  ["businesses list surplus", /Too many arguments: surplus\./],
])("%s is a usage error with a hint", async (line, message) => {
  const { code, stdout, stderr } = await createTerminal().deskbell(line);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("an error suggests only commands of the group in which the unknown command was typed", async () => {
  const { deskbell } = createTerminal();
  const messageOf = async (line: string) => (await deskbell(line)).stderr.split("\n")[0];
  expect(await messageOf("reservation list")).toContain("mean reservations?");
  expect(await messageOf("seats")).toBe("error: Unknown command 'seats'.");
  expect(await messageOf("keys rotate-mastr")).toContain("Did you mean rotate-master?");
  expect(await messageOf("bookings rotate-mastr")).not.toContain("Did you mean");
});

test.each([
  "services show no-such --json",
  "sevices --json",
  "keys show --json",
  "keys --json",
  "--json catalog import",
  "--json",
])("%s prints the error as JSON on stderr", async (line) => {
  const { code, stdout, stderr } = await createTerminal().deskbell(line);
  const { error } = JSON.parse(stderr) as { error: { code: string } };
  expect({ stdout, error }).toEqual({
    stdout: "",
    error: { code: expect.any(String), message: expect.any(String), fix: expect.any(String) },
  });
  expect(code).toBe(error.code === "usage" ? 2 : 3);
});

test.each(["", "keys", "catalog"])(
  "the line '%s' without a subcommand prints help on stderr and exits with 2",
  async (line) => {
    const { code, stdout, stderr } = await createTerminal().deskbell(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`Usage: deskbell ${line}`.trim());
  },
);

test("the fix of an error names the program as it was started", async () => {
  const { stderr } = await createTerminal({ program: "npx deskbell" }).deskbell("keys creat");
  expect(stderr).toContain("fix: npx deskbell keys --help (exit 2)");
});

test("--version prints only the version", async () => {
  expect(await createTerminal().deskbell("--version")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

test("empty environment variables of text options count as unset", async () => {
  const dataDir = createTempFolder();
  for (const name of ["DESKBELL_BUSINESS", "DESKBELL_LOG_FORMAT", "DESKBELL_DATA_DIR"])
    vi.stubEnv(name, "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { deskbell } = createTerminal({ dataDir });
  await deskbell(`catalog apply ${SALON}`);
  expect(await deskbell("services list")).toMatchObject({ code: 0, stderr: "" });
  expect(await deskbell("services list --business=")).toMatchObject({ code: 3 });
  // An empty DESKBELL_DATA_DIR does not mean the current folder.
  expect(readConfig({}, { DESKBELL_DATA_DIR: "", STATE_DIRECTORY: dataDir }).dataDir).toBe(dataDir);
  expect(withEnvironment("DESKBELL_HOST", text("address", "")).read("")).toBeUndefined();
});

test("an empty DESKBELL_PORT counts as unset", async () => {
  vi.stubEnv("DESKBELL_PORT", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  // A second mistake, which is checked later, keeps the daemon from starting.
  expect((await createTerminal().deskbell("serve --tls-cert chain.pem")).stderr).toContain(
    "--tls-key is missing",
  );
  vi.stubEnv("DESKBELL_PORT", "many");
  expect((await createTerminal().deskbell("serve --tls-cert chain.pem")).stderr).toContain(
    "a whole number from 0 to 65535",
  );
});

test("businesses list without data creates no data folder and says how to begin", async () => {
  const { deskbell, dataDir } = createTerminal({ dataDir: join(createTempFolder(), "data") });
  const { code, stderr } = await deskbell("businesses list");
  expect([code, existsSync(dataDir)]).toEqual([3, false]);
  expect(stderr).toMatch(
    /^error: There is no deskbell data in .*\nfix: .*deskbell init .*deskbell catalog apply FILE.*; or, if the data were moved, .*--data-dir \(exit 3\)\n$/,
  );
});
