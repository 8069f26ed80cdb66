import type { Option } from "commander";
import { afterEach, expect, test } from "vitest";
import { optionsOf } from "../../src/cli/command.ts";
import { loadCommands } from "../support/commands.ts";
import { makeRunnable, runInCopy, setUpExamples } from "../support/example-data.ts";

setUpExamples();
// A command that waits for a stop signal unrefs the channel to the test runner.
afterEach(() => process.channel?.ref());
const { leaves } = await loadCommands();

/** Placeholders of options that take any text, or the name of a file or stored object. */
const FREE =
  /<(text|name|file|folder|key|key\|none|id|ref|command|slug|order|endpoint|cursor|actor|action|number|stream|prefix|to|ticket-type)>/;

/** Options that search for stored text, or whose value only the started daemon can look up. */
const LOOKUPS = new Set(["guests export --email", "guests erase --email", "serve --host"]);

const options = leaves.flatMap(({ path, spec }) =>
  optionsOf(spec)
    .filter(
      ({ required, flags, long }) =>
        required && !FREE.test(flags) && !LOOKUPS.has(`${path} ${long}`),
    )
    .map((option) => ({ path, option, long: option.long ?? "", examples: spec.examples })),
);

test("more than 100 options have a format or a list of values", () => {
  expect(options.length).toBeGreaterThan(100);
});

/** Returns an example of the command in which the option has the value. */
function withValue(examples: readonly string[], { long }: Option, value: string): string {
  const has = (line: string) => line.includes(`${long} `);
  const line = makeRunnable(examples.find(has) ?? examples[0] ?? "");
  return has(line)
    ? line.replace(new RegExp(`${long} (?:'[^']*'|\\S+)`), `${long} ${value}`)
    : `${line} ${long} ${value}`;
}

test.each(options)("$path $long with a wrong value exits with 2", async (given) => {
  const line = withValue(given.examples, given.option, "n0nsense!");
  const { code, stdout, stderr } = await runInCopy(`${line} --yes`);
  expect({ line, code, stdout, stderr }).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`n0nsense!|${given.long.slice(2)}`, "i")),
  });
});
