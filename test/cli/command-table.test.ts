import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addCommand, type CommandSpec, type CommandGroup } from "../../src/cli/command.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { GLOBAL_OPTIONS } from "../../src/cli/root-help.ts";
import { runInCopy, makeRunnable, setUpExamples } from "../support/example-data.ts";

type Leaf = { path: string; spec: CommandSpec };

const leavesOf = (nodes: readonly (CommandSpec | CommandGroup)[], before = ""): Leaf[] =>
  nodes.flatMap((node) =>
    "commands" in node
      ? leavesOf(node.commands, `${before}${node.name} `)
      : [{ path: `${before}${node.name}`, spec: node }],
  );
const specs = await Promise.all(COMMANDS.map(({ load }) => load()));
const leaves = leavesOf(specs);
const examples = leaves.flatMap(({ path, spec }) =>
  spec.examples.map((line) => ({ path, spec, line })),
);

/** Those that never end by themselves, need a terminal, or ask the network. */
const isOnlyParsed = (line: string): boolean =>
  /^(demo|serve|tui|webhooks (test|receive|listen)|deliveries tail)\b|--wait\b|https:\/\/example\.com/.test(
    line,
  );

setUpExamples();

/** A line of the right shape is understood, whatever it would then do. */
async function parse(line: string): Promise<string[]> {
  const told: string[] = [];
  const mute = <Node extends CommandSpec | CommandGroup>(node: Node): Node =>
    "commands" in node
      ? { ...node, commands: node.commands.map(mute) }
      : { ...node, run: () => void told.push(node.name) };
  const root = new Command("deskbell");
  for (const { flags, about } of GLOBAL_OPTIONS) root.option(flags, about);
  for (const spec of specs)
    addCommand(root, mute(spec), async (run) => void (await run({} as never)));
  const words = [...(line.split(/ (?:\||>>?|<) /)[0] ?? "").matchAll(/'([^']*)'|(\S+)/g)];
  await root.parseAsync(
    words.map(([, quoted, plain]) => quoted ?? plain ?? ""),
    { from: "user" },
  );
  return told;
}

test("every example is a line that its command understands", async () => {
  for (const { path, line } of examples)
    expect({ line, told: await parse(line) }).toEqual({ line, told: [path.split(" ").at(-1)] });
});

/** What does not end with 0 here: nothing is confirmed, and no daemon runs. */
const ENDS_WITH: [RegExp, number][] = [
  [/^(status|doctor)\b/, EXIT.someFailed],
  [/^(keys revoke|webhooks delete|restore) (?!.*--yes)/, EXIT.usage],
];
const exitCodeOf = (line: string): number =>
  ENDS_WITH.find(([pattern]) => pattern.test(line))?.[1] ?? EXIT.ok;

const inBatches = Object.entries(
  Object.groupBy(
    examples.filter(({ line }) => !isOnlyParsed(line)),
    ({ path }) => path.split(" ")[0] ?? "",
  ),
);

test.each(inBatches)("the examples of %s do on a box what they say", async (_noun, lines = []) => {
  for (const { line } of lines) {
    const stdin = line.includes(" - ") ? "{}" : "";
    const ran = await runInCopy(makeRunnable(line), { isEmpty: line.startsWith("seed "), stdin });
    expect({ line, code: ran.code, said: ran.stderr }).toMatchObject({
      line,
      code: exitCodeOf(line),
    });
    expect({ line, said: ran.stdout }).toMatchObject({
      line,
      said: expect.not.stringMatching(/^(error|fix): /m),
    });
  }
});

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each(inBatches)(
  "%s --json gives JSON alone on stdout, and with -q nothing on stderr",
  async (_noun, lines = []) => {
    for (const path of new Set(lines.map(({ path }) => path))) {
      const line = lines.findLast((example) => example.path === path)?.line ?? "";
      const stdin = line.includes(" - ") ? "{}" : "";
      const ran = await runInCopy(`${makeRunnable(line)} --json -q --yes`, {
        isEmpty: line.startsWith("seed "),
        stdin,
      });
      expect({ line, said: ran.stderr }).toEqual({ line, said: "" });
      const texts = isJson(ran.stdout) ? [ran.stdout] : ran.stdout.split("\n").slice(0, -1);
      expect({
        line,
        notJson: texts.filter((text) => !isJson(text)),
        stdout: ran.stdout === "" ? "empty" : "",
      }).toEqual({
        line,
        notJson: [],
        stdout: line.includes("ndjson") ? "empty" : "",
      });
    }
  },
);

/** Words that name no file, no type and no shell of this world. */
const named = leaves.filter(
  ({ path, spec }) =>
    spec.arguments.some((name) => name.startsWith("<")) && !path.startsWith("catalog"),
);

test.each(named)("$path says in words that there is no such thing", async ({ path }) => {
  const flags = {
    "time-off add": "--from 2026-12-24 --to 2026-12-24",
    "services set": "--price 1",
    "menu set": "--price 1",
    "webhooks set": "--name x",
  };
  const more = flags[path as keyof typeof flags] ?? "";
  const ran = await runInCopy(makeRunnable(`${path} no-such-thing ${more} --yes`).trim());
  expect(ran).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/^error: [^]+\(exit [23]\)\n$/),
  });
  expect(ran.stderr).not.toContain("a bug in itself");
});

test.each(leaves)(
  "$path takes no option and no surplus word that it does not know",
  async ({ path, spec }) => {
    for (const line of [`${path} --no-such-option`, `${path} a b c d`]) {
      if (line.endsWith("d") && spec.arguments.some((name) => name.includes("..."))) continue;
      const ran = await runInCopy(line, { isEmpty: true });
      expect({ line, ...ran }).toMatchObject({
        code: EXIT.usage,
        stdout: "",
        stderr: expect.stringMatching(/\nfix: /),
      });
      expect(existsSync(ran.dataDir)).toBe(false);
    }
  },
);

const MAKERS = ["catalog apply", "restore"];
const NEEDLESS = [
  "init",
  "catalog apply",
  "catalog import",
  "catalog schema",
  "events types",
  "webhooks verify",
  "service",
  "completion",
  "openapi",
  "backup list",
  "backup verify",
  "restore",
];

test.each(inBatches.filter(([noun]) => noun !== "seed"))(
  "where there are no data, %s says so and makes none",
  async (_noun, lines = []) => {
    for (const { path, line } of lines) {
      const ran = await runInCopy(`${makeRunnable(line)} --yes`, { isEmpty: true });
      const isMade = MAKERS.includes(path) && existsSync(ran.dataDir);
      const refusal = {
        code: EXIT.notFound,
        stdout: "",
        stderr: expect.stringContaining("--data-dir"),
      };
      const expected = NEEDLESS.some((name) => path.startsWith(name)) ? {} : refusal;
      expect({ line, ...ran, isThere: existsSync(ran.dataDir) }).toMatchObject({
        line,
        ...expected,
        isThere: isMade,
      });
    }
  },
);

const supportingDryRun = leaves.filter(({ spec }) => spec.supportsDryRun);

test.each(supportingDryRun)(
  "$path --dry-run succeeds and leaves the data unchanged",
  async ({ path, spec }) => {
    const line =
      spec.examples.find((example) => !isOnlyParsed(example) && !example.includes(".ndjson")) ??
      `${path} --help`;
    const before = await runInCopy("businesses list");
    // Where the business exists, seed needs --again.
    const options = path === "seed" ? "--again --dry-run" : "--dry-run";
    const ran = await runInCopy(`${makeRunnable(line)} ${options}`);
    expect({ line, ...ran }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^That was a dry run: nothing was changed\.$/m),
    });
    expect(contentOf(ran.dataDir)).toEqual(contentOf(before.dataDir));
  },
);

function contentOf(dataDir: string): Record<string, unknown[]> {
  const db = new Database(join(dataDir, "deskbell.db"), { readonly: true });
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  const content = tables.map((name): [string, unknown[]] => [
    name,
    db.prepare(`SELECT * FROM "${name}"`).all(),
  ]);
  db.close();
  return Object.fromEntries(content);
}

test("every command that changes data supports --dry-run", () => {
  const writers =
    /(create|rotate|revoke|add|set|enable|disable|delete|remove|cancel|confirm|check-in|sold-out|trigger|apply|redeliver|rotate-secret|rotate-master|restore)$/;
  const without = leaves
    .filter(({ path, spec }) => (writers.test(path) || path === "seed") && !spec.supportsDryRun)
    .map(({ path }) => path);
  expect(without).toEqual(["backup create"]);
});
