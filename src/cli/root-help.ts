import { COMMANDS } from "./command-table.ts";

export const ABOUT =
  "A small business's catalog for its partners: an HTTP API and signed webhooks on one SQLite file.";

export const VERSION_OPTION = { flags: "--version", about: "print the version" };

/** The options that stand anywhere on the line. */
export const GLOBAL_OPTIONS: readonly { flags: string; about: string; env?: string }[] = [
  { flags: "--data-dir <folder>", about: "where the data lives", env: "DESKBELL_DATA_DIR" },
  {
    flags: "--business <slug>",
    about: "which business; may be left out when there is one",
    env: "DESKBELL_BUSINESS",
  },
  { flags: "--json", about: 'print {"data": …} on stdout' },
  { flags: "-q, --quiet", about: "say nothing on stderr but errors" },
  { flags: "-v, --verbose", about: "say more on stderr" },
  { flags: "--no-color", about: "print without colours" },
  { flags: "--no-input", about: "never ask" },
  { flags: "-y, --yes", about: "answer every confirmation with yes" },
];

const HELP_OPTION = { flags: "-h, --help", about: "display help for command" };
const HELP_COMMAND = { name: "help", about: "display help for command" };
const NARROWEST = 40;

/** The help of the program itself, from the table alone: neither a command nor commander is loaded for it. */
export function rootHelp(program: string, width: number): string {
  const options = [VERSION_OPTION, ...GLOBAL_OPTIONS, HELP_OPTION].map(
    ({ flags, about, env }: (typeof GLOBAL_OPTIONS)[number]) =>
      [flags, env ? `${about} (env: ${env})` : about] as const,
  );
  const commands = [...COMMANDS, HELP_COMMAND].map(({ name, about }) => [name, about] as const);
  const column = Math.max(...[...options, ...commands].map(([term]) => term.length)) + 4;
  const list = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([term, about]) => `  ${term}`.padEnd(column) + wrap(about, column, width)).join("\n");
  const usage = `Usage: ${program} [options] [command]`;
  return `${usage}\n\n${wrap(ABOUT, 0, width)}\n\nOptions:\n${list(options)}\n\nCommands:\n${list(commands)}\n`;
}

/** Breaks at spaces; the lines after the first begin below it. */
function wrap(text: string, column: number, width: number): string {
  const room = Math.max(width - column, NARROWEST);
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(column)}`);
}
