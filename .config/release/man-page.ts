import type { Option } from "commander";
import { type CommandGroup, type CommandSpec, optionsOf } from "../../src/cli/command.ts";
import { loadCommand } from "../../src/cli/load-command.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { EXIT } from "../../src/cli/failure.ts";
import { ABOUT, GLOBAL_OPTIONS, VERSION_OPTION } from "../../src/cli/root-help.ts";

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "The command succeeded.",
  failure: "An internal error.",
  usage: "The command line is wrong.",
  notFound: "The named object does not exist.",
  permission: "A permission is missing.",
  conflict: "The current state does not allow the command.",
  someFailed: "Some of the work failed, or status and doctor found a problem.",
  invalidInput: "A file or value is invalid.",
  differences: "catalog diff found differences.",
  hungUp: "Ended by SIGHUP.",
  interrupted: "Ended by SIGINT.",
  brokenPipe: "The reader of the output ended.",
  terminated: "Ended by SIGTERM.",
};

const FILES = [
  ["/var/lib/deskbell", "The data, the master key and the backups."],
  ["/etc/deskbell.env", "Settings of the service, one variable per line."],
] as const;

/**
 * Escapes a text for roff. A backslash has a meaning there, and so does a dot or quote at the start
 * of a line.
 */
const escape = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
const bold = (text: string): string => `\\fB${escape(text)}\\fR`;
const item = (term: string, text: string): string => `.TP\n${bold(term)}\n${escape(text)}\n`;

const optionItem = ({ flags, description, envVar, argChoices }: Option): string =>
  item(
    flags,
    [
      description,
      argChoices && `(${argChoices.join(", ")})`,
      envVar && !description.includes("(env:") && `(env: ${envVar})`,
    ]
      .filter(Boolean)
      .join(" "),
  );

function commandSection(words: readonly string[], spec: CommandSpec | CommandGroup): string {
  if ("commands" in spec)
    return spec.commands.map((child) => commandSection([...words, child.name], child)).join("");
  const title = [...words, ...spec.arguments].join(" ");
  const examples = spec.examples.map((line) => escape(`deskbell ${line}`)).join("\n");
  return `.SS ${escape(title)}
${escape(spec.about)}
${optionsOf(spec).map(optionItem).join("")}.PP
.EX
${examples}
.EE
`;
}

/**
 * Returns the manual page of the program, made from the command tree.
 * @param date as YYYY-MM-DD
 */
export async function manPage(version: string, date: string): Promise<string> {
  const specs = await Promise.all(COMMANDS.map(loadCommand));
  const options = [
    VERSION_OPTION,
    ...GLOBAL_OPTIONS,
    { flags: "-h, --help", about: "display help for command" },
  ].map(({ flags, about, env }: (typeof GLOBAL_OPTIONS)[number]) =>
    item(flags, env ? `${about} (env: ${env})` : about),
  );
  const exits = Object.entries(EXIT).map(([name, code]) =>
    item(String(code), EXIT_MEANINGS[name as keyof typeof EXIT]),
  );
  return `.TH DESKBELL 1 "${date}" "deskbell ${version}" "User Commands"
.SH NAME
deskbell \\- catalog API with signed webhooks for a small business
.SH SYNOPSIS
.B deskbell
[options] command
.SH DESCRIPTION
${escape(ABOUT)}
.PP
.B deskbell guide
prints short guides to common tasks.
.SH OPTIONS
${options.join("")}.SH COMMANDS
${specs.map((spec) => commandSection([spec.name], spec)).join("")}.SH EXIT STATUS
${exits.join("")}.SH FILES
${FILES.map(([path, about]) => item(path, about)).join("")}`;
}
