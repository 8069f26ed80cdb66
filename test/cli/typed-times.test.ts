import { expect, test } from "vitest";
import { optionsOf } from "../../src/cli/command.ts";
import { createTerminal } from "../support/cli.ts";
import { loadCommands } from "../support/commands.ts";
import { makeRunnable, runInCopy, setUpExamples } from "../support/example-data.ts";
import { SALON } from "../support/samples.ts";

setUpExamples();
const { leaves } = await loadCommands();

/** The options for a day or time, each with an example that uses it. */
const options = leaves.flatMap(({ path, spec }) =>
  optionsOf(spec).flatMap(({ flags, long }) => {
    const placeholder = /<(date|time)>$/.exec(flags)?.[1];
    const line = spec.examples.find((example) => example.includes(`${long} `));
    return placeholder ? [{ path, long: long ?? "", placeholder, line }] : [];
  }),
);

test("each option for a day or time has an example", () => {
  expect(options.length).toBeGreaterThan(30);
  expect(options.filter(({ line }) => line === undefined)).toEqual([]);
});

test("options with a day or time in their description have the placeholder <date> or <time>", () => {
  const others = leaves.flatMap(({ path, spec }) =>
    optionsOf(spec)
      .filter(({ flags }) => !/<(date|time)>$/.test(flags))
      .filter(({ description }) => /\b20\d\d-\d\d-\d\d|\btomorrow\b/.test(description))
      .map(({ flags }) => `${path} ${flags}`),
  );
  expect(others).toEqual([]);
});

test.each(options)("$path $long accepts the names of days and times", async (option) => {
  const { path, long, placeholder, line = "" } = option;
  const values = placeholder === "date" ? ["today", "tomorrow"] : ["'tomorrow 10:00'", "now"];
  for (const value of values) {
    const typed = line.replace(new RegExp(`${long} (?:'[^']*'|\\S+)`), `${long} ${value}`);
    const { stderr } = await runInCopy(`${makeRunnable(typed)} --yes`);
    expect({ path, typed, stderr }).toMatchObject({
      stderr: expect.not.stringMatching(/^error: Invalid --|must be a date|such as 20\d\d/),
    });
  }
});

test.each(["events list", "deliveries list", "audit list"])(
  "%s --since accepts a duration, a date, a time and a day's name",
  async (line) => {
    const { deskbell } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    for (const since of ["2h", "2026-11-01", "08:30", "2026-11-01T08:30", "yesterday", "today"])
      expect(await deskbell(`${line} --since ${since}`)).toMatchObject({ code: 0 });
    expect(await deskbell(`${line} --since soon`)).toMatchObject({ code: 2 });
  },
);

test.each(["90,50", "90.50", "'€ 90.50'", "90,5"])("--price %s sets 90.50", async (price) => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const currency = (await deskbell("businesses show --json")).stdout;
  const amount = price.replace("€", /"currency": "(\w+)"/.exec(currency)?.[1] ?? "");
  expect(await deskbell(`services update beard-trim --price ${amount} --yes`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("-> 90.50"),
  });
});

test.each(["12,5", "12.5", "'12.5 %'", "12,50%"])("--percent %s sets 12.5 %%", async (percent) => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell(`promotions update midweek-blowout --percent ${percent}`);
  const { stdout } = await deskbell("promotions show midweek-blowout --json");
  expect(JSON.parse(stdout)).toMatchObject({ data: { benefit: { percentBps: 1250 } } });
});

test("reservations create --ignore-notice accepts an earlier start of the same day, but not of yesterday", async () => {
  const line = "reservations create --party 2 --business cafe-lumen --start";
  // The clock of the examples shows 10:00 in Zurich.
  const refused = await runInCopy(`${line} '2026-11-20T09:30'`);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("--ignore-notice") });
  const entered = await runInCopy(`${line} '2026-11-20T09:30' --ignore-notice`);
  expect(entered).toMatchObject({ code: 0, stdout: expect.stringContaining("2026-11-20 09:30") });
  const yesterday = await runInCopy(`${line} 'yesterday 12:30' --ignore-notice`);
  expect(yesterday).toMatchObject({ code: 5, stderr: expect.stringContaining("before today") });
});

test("the help of `catalog` describes `apply` in at most three lines", async () => {
  const { stdout } = await createTerminal().deskbell("catalog --help");
  const [, commands = ""] = stdout.split("\nCommands:\n");
  const apply = /^ {2}apply[^]*?(?=^ {2}\S)/m.exec(commands)?.[0] ?? "";
  expect(apply.trim().split("\n").length).toBeLessThanOrEqual(3);
});
