import {
  type CheckResult,
  type Finding,
  isAtLeast,
  type Severity,
} from "../../domain/conditions/registry.ts";
import { safe } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { EXIT, insertProgramName } from "../failure.ts";
import { type Column, toTsv } from "./table.ts";

/**
 * Prints each check when it has ended.
 * @param minimum findings of a lower severity are left out
 * @returns the exit code
 */
export async function reportChecks(
  cli: Cli,
  running: AsyncIterable<CheckResult>,
  minimum: Severity = "info",
): Promise<number> {
  const checks: CheckResult[] = [];
  for await (const check of running) {
    // A finding that names no severity counts as a warning.
    const findings = check.findings.filter((finding) =>
      isAtLeast(finding.severity ?? "warning", minimum),
    );
    checks.push({ ...check, findings });
    if (!cli.flags.json) print(cli, { ...check, findings });
  }
  if (cli.flags.json) cli.printObject({ checks });
  const needsFixing = checks.some(({ findings }) => findings.some(({ isAdvice }) => !isAdvice));
  return needsFixing ? EXIT.someFailed : EXIT.ok;
}

/** Width of the column with the name of a check, in characters. */
const ABOUT_WIDTH = 9;

type Row = { about: string; state: string; text: string; fix: string };

const COLUMNS: Column<Row>[] = ["about", "state", "text", "fix"];

const stateOf = ({ isAdvice }: Finding): string => (isAdvice ? "advice" : "wrong");

function print(cli: Cli, { about, summary, findings }: CheckResult): void {
  const { stdout } = cli.io;
  const printable = findings.map((finding) => ({
    ...finding,
    fix: insertProgramName(finding.fix, cli.program),
  }));
  if (stdout.isTTY) {
    if (findings.length === 0)
      stdout.write(`${cli.paint("green", "✓")} ${about.padEnd(ABOUT_WIDTH)} ${safe(summary)}\n`);
    for (const finding of printable)
      stdout.write(
        `${finding.isAdvice ? "!" : cli.paint("red", "✗")} ${about.padEnd(ABOUT_WIDTH)} ${safe(finding.text, 1000)}\n  ${cli.paint("bold", safe(finding.fix, 1000))}\n`,
      );
    return;
  }
  const rows = printable.map((finding) => ({ about, state: stateOf(finding), ...finding }));
  stdout.write(
    toTsv(rows.length > 0 ? rows : [{ about, state: "ok", text: summary, fix: "" }], COLUMNS),
  );
}
