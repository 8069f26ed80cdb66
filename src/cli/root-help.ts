import { COMMANDS, COMMANDS_BY_HEADING } from "./command-table.ts";
import { joinIntoLines } from "./output/fields.ts";

export const ABOUT =
  "Serve a small business's catalog to its partners over an HTTP API with signed webhooks, from one SQLite file.";

export const VERSION_OPTION = { flags: "--version", about: "print the version" };

/** The options that every command accepts, anywhere on the line. */
export const GLOBAL_OPTIONS: readonly { flags: string; about: string; env?: string }[] = [
  { flags: "--data-dir <folder>", about: "data folder", env: "DESKBELL_DATA_DIR" },
  {
    flags: "--business <slug>",
    about: "business to use; optional if there is only one",
    env: "DESKBELL_BUSINESS",
  },
  { flags: "--json", about: 'print {"data": …} as JSON on stdout' },
  { flags: "-q, --quiet", about: "print only errors on stderr" },
  { flags: "-v, --verbose", about: "print more on stderr" },
  { flags: "--no-color", about: "print without colors" },
  { flags: "--no-prompt", about: "never ask for confirmation; fail instead" },
  { flags: "-y, --yes", about: "skip confirmation prompts" },
];

const HELP_OPTION = { flags: "-h, --help", about: "display help for command" };
export const HELP_COMMAND = { name: "help", about: "display help for command" };
/** The heading below which the help lists the command `help`. */
const HELP_HEADING = "Installation";

/** Minimum width of the descriptions, in columns; a narrower terminal wraps them itself. */
const MIN_TEXT_WIDTH = 40;

/**
 * Returns the help of the program. The summaries are in the command table, so that --help loads
 * neither commander nor a command.
 */
export function rootHelp(program: string, width: number): string {
  const options = [VERSION_OPTION, ...GLOBAL_OPTIONS, HELP_OPTION].map(
    ({ flags, about, env }: (typeof GLOBAL_OPTIONS)[number]) =>
      [flags, env ? `${about} (env: ${env})` : about] as const,
  );
  const commands = [...COMMANDS, HELP_COMMAND].map(({ name, about }) => [name, about] as const);
  // Two spaces stand before each term, and at least two after it.
  const aboutColumn = Math.max(...[...options, ...commands].map(([term]) => term.length)) + 4;
  const list = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([term, about]) => wrapWords(`  ${term}`, about, aboutColumn)).join("\n");
  const wrapWords = (head: string, text: string, indent: number) =>
    joinIntoLines(
      head.padEnd(indent),
      " ".repeat(indent),
      text.split(" "),
      " ",
      Math.max(width, indent + MIN_TEXT_WIDTH),
    ).join("\n");
  const groups = COMMANDS_BY_HEADING.map(([heading, entries]) => {
    const help = heading === HELP_HEADING ? [HELP_COMMAND] : [];
    const inGroup = [...entries, ...help].map(({ name, about }) => [name, about] as const);
    return `${heading}:\n${list(inGroup)}\n`;
  });
  const usage = `Usage: ${program} [options] [command]`;
  return `${usage}\n\n${wrapWords("", ABOUT, 0)}\n\nOptions:\n${list(options)}\n\n${groups.join("\n")}`;
}
