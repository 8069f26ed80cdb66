import type { Status } from "../../app/operations/status.ts";
import { safe } from "../../domain/safe-text.ts";
import { byteSize } from "../../domain/byte-size.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { insertProgramName } from "../failure.ts";
import { type Column, isoTime, shortTime, toTsv } from "../output/table.ts";

type Line = { about: string; state: string; command: string | null };

export const status = command({
  name: "status",
  about:
    "Show whether all is well: daemon, queue, endpoints, backups, disk. Exits with 6 while something is wrong.",
  examples: ["status", "status --json"],
  async run(cli) {
    const rt = await cli.open();
    const { readStatus } = await import("../../app/operations/status.ts");
    const status = readStatus(rt);
    const lines = [...facts(status, rt.now()), ...troubles(status, cli.program)];
    if (cli.flags.json) cli.printObject(inIsoTime(status));
    else if (cli.io.stdout.isTTY)
      cli.io.stdout.write(lines.map((line) => forPerson(cli, line)).join(""));
    else cli.io.stdout.write(toTsv(lines, COLUMNS));
    return status.troubles.length > 0 ? EXIT.someFailed : EXIT.ok;
  },
});

const COLUMNS: Column<Line>[] = [
  { title: "WHAT", value: (line) => line.about },
  { title: "STATE", value: (line) => line.state },
  { title: "COMMAND", value: (line) => line.command },
];

/** Nothing of it is cut: what is wrong is read whole, and its command copied. */
const forPerson = (cli: Cli, { about, state, command }: Line): string =>
  command === null
    ? `${about.padEnd("next attempt".length)}  ${safe(state)}\n`
    : `${cli.paint("red", "✗")} ${safe(state, 1000)}\n  ${cli.paint("bold", safe(command))}\n`;

function facts(
  { daemon, queue, endpoints, nextAttemptAt, lastBackup, freeBytes }: Status,
  now: number,
): Line[] {
  const fact = (about: string, state: string): Line => ({ about, state, command: null });
  return [
    fact(
      "daemon",
      daemon.isRunning ? `running${daemon.url === null ? "" : ` at ${daemon.url}`}` : "not running",
    ),
    fact("deliveries", countsText(queue)),
    fact("endpoints", countsText(endpoints)),
    fact(
      "next attempt",
      nextAttemptAt === null ? "none" : nextAttemptAt <= now ? "due now" : timeText(nextAttemptAt),
    ),
    fact(
      "last backup",
      lastBackup ? `${timeText(lastBackup.madeAt)}, ${byteSize(lastBackup.bytes)}` : "none",
    ),
    fact("free disk", byteSize(freeBytes)),
  ];
}

const troubles = (status: Status, program: string): Line[] =>
  status.troubles.map(({ text, command }) => ({
    about: "trouble",
    state: text,
    command: insertProgramName(command, program),
  }));

/** `2 active, 1 failing` */
const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state.toLowerCase()}`)
    .join(", ") || "none";

const timeText = (ms: number): string => shortTime(isoTime(ms)) ?? "";

const inIsoTime = ({ daemon, nextAttemptAt, lastBackup, ...status }: Status) => ({
  daemon: { ...daemon, startedAt: isoTime(daemon.startedAt) },
  nextAttemptAt: isoTime(nextAttemptAt),
  lastBackup: lastBackup && { ...lastBackup, madeAt: isoTime(lastBackup.madeAt) },
  ...status,
});
