import type { Status } from "../../app/operations/status.ts";
import type { Runtime } from "../../app/runtime.ts";
import { byteSize, safe, summarizeNames } from "../../domain/text.ts";
import { isAtLeast, SEVERITIES, type Severity } from "../../domain/conditions/registry.ts";
import { loadFromFeatures } from "../../features/index.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { choice } from "../flags.ts";
import { EXIT, insertProgramName } from "../failure.ts";
import { type Column, isoTime, shortTime, toTsv, withIsoTimes } from "../output/table.ts";

/** What a feature adds to `status`: lines for a person, and fields for --json. */
export type StatusPart = {
  rows: { about: string; state: string }[];
  fields: Record<string, unknown>;
};

export type ReadStatusPart = (rt: Runtime) => StatusPart;

type StatusRow = {
  about: string;
  state: string;
  command: string | null;
  severity?: Severity;
};

/** The flag --severity of `status` and `doctor`. */
export const severityFlag = choice(
  SEVERITIES,
  "list only conditions of this severity or a higher one; others do not affect the exit code",
);

export const definition = command({
  flags: { severity: severityFlag },
  examples: ["status", "status --json", "status --severity critical"],
  async run(cli, { severity = "info" }) {
    const rt = await cli.open();
    const [{ readStatus }, { loadChecks }] = await Promise.all([
      import("../../app/operations/status.ts"),
      import("../../app/operations/conditions.ts"),
    ]);
    const status = readStatus(rt, await loadChecks());
    const parts = (await loadFromFeatures("status")).map((read) => read(rt));
    status.problems = status.problems.filter((problem) => isAtLeast(problem.severity, severity));
    const lines = [
      ...stateRows(status, parts, rt.now(), (group) => {
        const businessFlag = rt.store.businesses.listSlugs().length > 1 ? " --business SLUG" : "";
        return `${cli.program} ${group} list --status PENDING${businessFlag}`;
      }),
      ...problemRows(status, cli.program),
    ];
    if (cli.flags.json) cli.printObject(inIsoTime(status, parts));
    else if (cli.io.stdout.isTTY)
      cli.io.stdout.write(lines.map((line) => terminalLine(cli, line)).join(""));
    else cli.io.stdout.write(toTsv(lines, COLUMNS));
    return status.problems.length > 0 ? EXIT.someFailed : EXIT.ok;
  },
});

const COLUMNS: Column<StatusRow>[] = [{ title: "WHAT", value: "about" }, "state", "command"];

/** The width of the longest label. */
const LABEL_WIDTH = "next attempt".length;

/** Formats a row for a terminal, with its command uncut, because users copy commands. */
const terminalLine = (cli: Cli, { about, state, command, severity }: StatusRow): string =>
  command === null
    ? `${about.padEnd(LABEL_WIDTH)}  ${safe(state)}\n`
    : `${cli.paint("red", "✗")} ${severity}: ${safe(state, 1000)}\n  ${cli.paint("bold", safe(command))}\n`;

function stateRows(
  { daemon, queue, endpoints, pending, nextAttemptAt, limitedHosts, history, freeBytes }: Status,
  parts: readonly StatusPart[],
  now: number,
  listCommand: (group: "bookings" | "reservations") => string,
): StatusRow[] {
  const row = (about: string, state: string): StatusRow => ({ about, state, command: null });
  return [
    row(
      "daemon",
      daemon.isRunning ? `running${daemon.url === null ? "" : ` at ${daemon.url}`}` : "not running",
    ),
    row("deliveries", countsText(queue)),
    row("endpoints", countsText(endpoints)),
    ...(["bookings", "reservations"] as const).flatMap((group) =>
      pending[group] === 0
        ? []
        : row(group, `${pending[group]} to approve or decline: ${listCommand(group)}`),
    ),
    row(
      "next attempt",
      nextAttemptAt === null ? "none" : nextAttemptAt <= now ? "due now" : timeText(nextAttemptAt),
    ),
    ...(limitedHosts.length === 0 ? [] : [row("hosts", limitedText(limitedHosts))]),
    row("history", historyText(history)),
    ...parts.flatMap(({ rows }) => rows.map(({ about, state }) => row(about, state))),
    row("free disk", byteSize(freeBytes)),
  ];
}

const problemRows = (status: Status, program: string): StatusRow[] =>
  status.problems.map(({ text, command, severity }) => ({
    about: "problem",
    state: text,
    command: insertProgramName(command, program),
    severity,
  }));

/** Returns a text such as `1.2 GB of 10.0 GB, kept 30 days, since Nov 22 12:00`. */
const historyText = ({ bytes, maxBytes, keepDays, oldestAt }: Status["history"]): string =>
  `${byteSize(bytes)} of ${byteSize(maxBytes)}, kept ${keepDays} days${oldestAt === null ? "" : `, since ${timeText(oldestAt)}`}`;

const limitedText = (hosts: readonly string[]): string =>
  `limited, because they never accepted a delivery: ${summarizeNames(hosts.slice(0, 10), hosts.length)}`;

/** Returns a text such as `2 active, 1 failing`. */
export const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state.toLowerCase()}`)
    .join(", ") || "none";

export const timeText = (ms: number): string => shortTime(isoTime(ms)) ?? "";

const inIsoTime = (
  { daemon, nextAttemptAt, history, problems, ...status }: Status,
  parts: readonly StatusPart[],
) => ({
  daemon: withIsoTimes(daemon, "startedAt"),
  nextAttemptAt: isoTime(nextAttemptAt),
  history: withIsoTimes(history, "oldestAt", "cutUntil"),
  ...Object.assign({}, ...parts.map(({ fields }) => fields)),
  ...status,
  problems: problems.map((problem) => withIsoTimes(problem, "since")),
});
