import Database from "better-sqlite3";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addCommand, type CommandSpec, type CommandGroup } from "../../src/cli/command.ts";
import { EXIT } from "../../src/cli/failure.ts";
import { GLOBAL_OPTIONS } from "../../src/cli/root-help.ts";
import { lazy } from "../../src/domain/lazy.ts";
import { loadCommands } from "../support/commands.ts";
import { runInCopy, makeRunnable, setUpExamples } from "../support/example-data.ts";

const { specs, leaves } = await loadCommands();
const examples = leaves.flatMap(({ path, spec }) =>
  spec.examples.map((line) => ({ path, spec, line })),
);

/** Returns whether an example runs until stopped, needs a terminal or uses the network. */
const isOnlyParsed = (line: string): boolean =>
  /^(demo|handover|serve|tui|webhooks (test|receive|listen)|(deliveries|requests) tail|(alerts|destinations) test|alerts send|proxy-map)\b|--wait\b|--servers\b|--latest\b|--standby\b|https:\/\/example\.com/.test(
    line,
  );

/**
 * Makes an example runnable. The example that generates ten thousand objects would take seconds, so
 * it generates 100 here.
 */
const makeQuick = (line: string): string =>
  makeRunnable(line).replace("--generate 10k", "--generate 100");

setUpExamples();

/** Parses a line without running it and returns the names of the commands that would run. */
async function parse(line: string): Promise<string[]> {
  const called: string[] = [];
  const stub = <Node extends CommandSpec | CommandGroup>(node: Node): Node =>
    "commands" in node
      ? { ...node, commands: node.commands.map(stub) }
      : { ...node, run: () => void called.push(node.name) };
  const root = new Command("deskbell");
  for (const { flags, about } of GLOBAL_OPTIONS) root.option(flags, about);
  for (const spec of specs)
    addCommand(root, stub(spec), async (run) => void (await run({} as never)));
  const words = [...(line.split(/ (?:\||>>?|<) /)[0] ?? "").matchAll(/'([^']*)'|(\S+)/g)];
  await root.parseAsync(
    words.map(([, quoted, plain]) => quoted ?? plain ?? ""),
    { from: "user" },
  );
  return called;
}

test("each example in the help is parsed as the command whose help shows it", async () => {
  for (const { path, line } of examples)
    expect({ line, called: await parse(line) }).toEqual({ line, called: [path.split(" ").at(-1)] });
});

/** Exit codes of examples that fail here, because no daemon runs and nothing is confirmed. */
const EXIT_CODES: [RegExp, number][] = [
  [/^(status|doctor)\b/, EXIT.someFailed],
  [
    /^(keys revoke|webhooks delete|destinations delete|restore) (?!.*--(?:yes|dry-run))/,
    EXIT.usage,
  ],
];
const exitCodeOf = (line: string): number =>
  EXIT_CODES.find(([pattern]) => pattern.test(line))?.[1] ?? EXIT.ok;

const inBatches = Object.entries(
  Object.groupBy(
    examples.filter(({ line }) => !isOnlyParsed(line)),
    ({ path }) => path.split(" ")[0] ?? "",
  ),
);

test.each(inBatches)("examples in the help of %s exit as expected", async (_noun, lines = []) => {
  for (const { line } of lines) {
    const stdin = line.includes(" - ") ? "{}" : "";
    const ran = await runInCopy(makeQuick(line), { isEmpty: line.startsWith("seed "), stdin });
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
  "the commands of %s print only JSON on stdout with --json, and nothing on stderr with -q",
  async (_noun, lines = []) => {
    for (const path of new Set(lines.map(({ path }) => path))) {
      const line = lines.findLast((example) => example.path === path)?.line ?? "";
      const stdin = line.includes(" - ") ? "{}" : "";
      const ran = await runInCopy(`${makeQuick(line)} --json -q --yes`, {
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

/** Commands with an argument that is looked up in the data. */
const withNamedObject = leaves.filter(
  ({ path, spec }) =>
    spec.arguments.some((name) => name.startsWith("<")) &&
    !path.startsWith("catalog") &&
    // The name of a new object is not looked up.
    spec.name !== "create",
);

test.each(withNamedObject)("$path fails for an unknown name", async ({ path }) => {
  const flags = {
    "services update": "--price 1",
    "menu update": "--price 1",
    "staff update": "--title x",
    "promotions update": "--name x",
    "public-events update": "--name x",
    "webhooks update": "--name x",
    "destinations update": "--name x",
    "destinations redeliver": "--since 1d",
    "keys update": "--event-group catalog",
    "bookings reschedule": "--start 2026-12-03T11:00",
    "reservations reschedule": "--start 2026-12-03T12:00",
  };
  const more = flags[path as keyof typeof flags] ?? "";
  const ran = await runInCopy(makeRunnable(`${path} no-such-thing ${more} --yes`).trim());
  expect(ran).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/^error: [^]+\(exit [23]\)\n$/),
  });
  expect(ran.stderr).not.toContain("this is a bug");
});

test.each(leaves)("$path rejects unknown options and surplus arguments", async ({ path, spec }) => {
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
});

const CREATE_DATA = ["catalog apply", "restore"];
const WORK_WITHOUT_DATA = [
  "init",
  "catalog apply",
  "catalog import",
  "catalog schema",
  "events types",
  "webhooks verify",
  "guide",
  "systemd-unit",
  "completion",
  "openapi",
  "metrics",
  "backup list",
  "backup verify",
  "restore",
];

test.each(inBatches.filter(([noun]) => noun !== "seed"))(
  "commands of %s that need data fail without data, and none but catalog apply and restore creates data",
  async (_noun, lines = []) => {
    for (const { path, line } of lines) {
      const ran = await runInCopy(`${makeRunnable(line)} --yes`, { isEmpty: true });
      const isCreated = CREATE_DATA.includes(path) && existsSync(ran.dataDir);
      const failure = {
        code: EXIT.notFound,
        stdout: "",
        stderr: expect.stringContaining("--data-dir"),
      };
      const expected = WORK_WITHOUT_DATA.some((name) => path.startsWith(name)) ? {} : failure;
      expect({ line, ...ran, exists: existsSync(ran.dataDir) }).toMatchObject({
        line,
        ...expected,
        exists: isCreated,
      });
    }
  },
);

/** Returns the content of the data after a command that only reads. */
const unchanged = lazy(async () => contentOf((await runInCopy("businesses list")).dataDir));

const supportingDryRun = leaves.filter(({ spec }) => spec.supportsDryRun);

test.each(supportingDryRun)(
  "$path --dry-run succeeds and leaves the data unchanged",
  async ({ path, spec }) => {
    const line =
      spec.examples.find((example) => !isOnlyParsed(example) && !example.includes(".ndjson")) ??
      `${path} --help`;
    // The business exists, so seed needs --overwrite.
    const options = path === "seed" ? "--overwrite --dry-run" : "--dry-run";
    const ran = await runInCopy(`${makeRunnable(line)} ${options}`);
    expect({ line, ...ran }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Dry run: nothing was saved\.$/m),
    });
    expect(contentOf(ran.dataDir)).toEqual(await unchanged());
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

test("each command that changes data supports --dry-run, except backup create", () => {
  const writers =
    /\b(create|rotate|revoke|update|enable|disable|delete|cancel|postpone|pause|resume|end|confirm|check-in|sold-out|trigger|apply|redeliver|rotate-secret|rotate-master|restore)$/;
  const without = leaves
    .filter(({ path, spec }) => (writers.test(path) || path === "seed") && !spec.supportsDryRun)
    .map(({ path }) => path)
    .filter((path) => path !== "backup create");
  expect(without).toEqual([]);
});
