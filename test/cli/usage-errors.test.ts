import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, onTestFinished, vi } from "vitest";
import { optionsOf } from "../../src/cli/command.ts";
import { createTerminal } from "../support/cli.ts";
import { loadCommands } from "../support/commands.ts";
import { makeRunnable, runInCopy, setUpExamples } from "../support/example-data.ts";
import { SALON } from "../support/samples.ts";
import { chooseScale } from "../support/scale.ts";

setUpExamples();
const { leaves } = await loadCommands();

/** Returns the files below a folder, each with the hash of its content. */
const filesIn = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, hash("sha256", readFileSync(path))]),
  );

/** Options, typed by mistake where the value of another option belongs. */
const MISTAKES = ["--dry-run", "--help", "--json", "-qy", "--price=45", "--", "--drry-run"];

/** `npm run test:thorough` tries each option with every mistake. */
const TRIES_ALL = chooseScale(false, true);

test.each(leaves.map((leaf, n) => ({ ...leaf, n })))(
  "$path changes no file if an option is typed where the value of another belongs",
  async ({ path, spec, n }) => {
    const { dataDir } = await runInCopy("guide");
    const { deskbell } = createTerminal({ dataDir });
    const before = filesIn(dirname(dataDir));
    const line = makeRunnable(spec.examples[0]);
    const own = optionsOf(spec).flatMap(({ required, long }) => (required && long ? [long] : []));
    // Each option is tried with one mistake, and the next option with the next mistake, unless
    // `TRIES_ALL` is set.
    const tried = ["--business", "--data-dir", ...own].map((option, i) => ({
      option,
      mistakes: TRIES_ALL ? MISTAKES : [MISTAKES[(n + i) % MISTAKES.length] as string],
    }));
    for (const { option, mistakes } of tried)
      for (const value of mistakes)
        expect({ path, ...(await deskbell(`${line} --yes ${option} ${value}`)) }).toMatchObject({
          path,
          code: 2,
          stdout: "",
          stderr: expect.stringContaining(
            `${option} needs a value: '${value}' is read as an option`,
          ),
        });
    expect(filesIn(dirname(dataDir))).toEqual(before);
  },
);

test.each([
  ["bookings create --input --dry-run", "--input"],
  ["webhooks create --max-in-flight --help", "--max-in-flight"],
  ["bookings create --json --input --json", "--input"],
])("%s is refused, because an option is typed where a value belongs", async (line, option) => {
  const { deskbell } = createTerminal();
  expect(await deskbell(`${line} -q`)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`${option} needs a value`),
  });
});

test.each(["--dry-run", "--help", "-y", "--"])(
  "--name=%s sets a name that begins with a hyphen",
  async (text) => {
    const { deskbell } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    const { stdout } = await deskbell(`keys create --secret --name=${text} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ data: { name: text } });
  },
);

test.each(["-1", "-x", "'-- a note'", "--6pm", "-"])(
  "%s after --name is taken as the name, because there is no such option",
  async (text) => {
    const { deskbell } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    const { stdout } = await deskbell(`keys create --secret --name ${text} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ data: { name: text.replaceAll("'", "") } });
  },
);

test("words after -- are arguments, even if they look like options", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  expect((await deskbell("services show -- --name")).stderr).toContain(
    "There is no service '--name'.",
  );
});

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

test("the error for a wrong value names the environment variable, unless the option is given", async () => {
  vi.stubEnv("DESKBELL_PORT", "many");
  onTestFinished(() => void vi.unstubAllEnvs());
  const messageOf = async (line: string) =>
    (await createTerminal().deskbell(line)).stderr.split("\n")[0];
  const range = "Use a whole number from 0 to 65535.";
  expect(await messageOf("serve")).toBe(`error: Invalid DESKBELL_PORT 'many'. ${range}`);
  expect(await messageOf("serve --port few")).toBe(`error: Invalid --port 'few'. ${range}`);
  expect(await messageOf("serve --port=-1")).toBe(`error: Invalid --port '-1'. ${range}`);
});
