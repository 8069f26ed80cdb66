import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { optionsOf } from "../../src/cli/command.ts";
import { createTerminal } from "../support/cli.ts";
import { loadCommands } from "../support/commands.ts";
import { makeRunnable, runInCopy, setUpExamples } from "../support/example-data.ts";
import { SALON } from "../support/samples.ts";

setUpExamples();
const { leaves } = await loadCommands();

/** Every file below the folder with its content. */
const filesIn = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, "base64")]),
  );

/** Options that are typed where the value of another belongs, by mistake. */
const MISTAKES = ["--dry-run", "--help", "--json", "-qy", "--price=45", "--", "--drry-run"];

test.each(leaves.map((leaf, n) => ({ ...leaf, n })))(
  "$path writes nothing if an option is typed where the value of another belongs",
  async ({ path, spec, n }) => {
    const { dataDir } = await runInCopy("guide");
    const { deskbell } = createTerminal({ dataDir });
    const before = filesIn(dirname(dataDir));
    const line = makeRunnable(spec.examples[0]);
    const own = optionsOf(spec).flatMap(({ required, long }) => (required && long ? [long] : []));
    // The options of all commands are tested with another mistake for each command.
    const shared = ["--business", "--data-dir"].map((option, i) => ({
      option,
      mistakes: [MISTAKES[(n + i) % MISTAKES.length] as string],
    }));
    const tried = [...own.map((option) => ({ option, mistakes: MISTAKES })), ...shared];
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
  ["backup --master-key-out --dry-run", "--master-key-out"],
  ["backup --json --master-key-out --json", "--master-key-out"],
])("%s is refused", async (line, option) => {
  const { deskbell } = createTerminal();
  expect(await deskbell(`${line} -q`)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`${option} needs a value`),
  });
});

test.each(["--dry-run", "--help", "-y", "--"])(
  "--name=%s is a text; so are other texts that begin with a hyphen",
  async (text) => {
    const { deskbell } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    const { stdout } = await deskbell(`keys create --secret --name=${text} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ data: { name: text } });
  },
);

test.each(["-1", "-x", "'-- a note'", "--6pm", "-"])(
  "%s after --name is a text: no option has such a name",
  async (text) => {
    const { deskbell } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    const { stdout } = await deskbell(`keys create --secret --name ${text} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ data: { name: text.replaceAll("'", "") } });
  },
);

test("words after -- are arguments, whatever they look like", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  expect((await deskbell("services show -- --name")).stderr).toContain(
    "There is no service '--name'.",
  );
});
