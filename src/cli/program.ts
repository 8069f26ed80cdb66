import { Command, Option } from "commander";
import { readVersion } from "../assets.ts";
import { envSwitch } from "../config.ts";
import { createCli, type Cli, type GlobalFlags } from "./cli.ts";
import { addCommand, type CommandSpec, type Group, mapUsageErrors } from "./command.ts";
import { availability } from "./commands/availability.ts";
import { backup } from "./commands/backup.ts";
import { bookings } from "./commands/bookings.ts";
import { businesses } from "./commands/businesses.ts";
import { catalog } from "./commands/catalog.ts";
import { deliveries } from "./commands/deliveries.ts";
import { demo } from "./commands/demo.ts";
import { events } from "./commands/events.ts";
import { init } from "./commands/init.ts";
import { keys } from "./commands/keys.ts";
import { menu } from "./commands/menu.ts";
import { orders } from "./commands/orders.ts";
import { reservations } from "./commands/reservations.ts";
import { restore } from "./commands/restore.ts";
import { seed } from "./commands/seed.ts";
import { serve } from "./commands/serve.ts";
import { services } from "./commands/services.ts";
import { status } from "./commands/status.ts";
import { tickets } from "./commands/tickets.ts";
import { timeOff } from "./commands/time-off.ts";
import { tui } from "./commands/tui.ts";
import { webhooks } from "./commands/webhooks.ts";
import type { Io } from "./io.ts";

/** Every command, in the order of the help. Each loads what is heavy when it runs: --help loads commander alone. */
export const COMMANDS: readonly (CommandSpec | Group)[] = [
  demo,
  serve,
  status,
  init,
  seed,
  businesses,
  catalog,
  services,
  menu,
  availability,
  bookings,
  reservations,
  orders,
  tickets,
  timeOff,
  keys,
  webhooks,
  deliveries,
  events,
  tui,
  backup,
  restore,
];

/** @param ended is told the exit code of the command that ran */
export function createProgram(program: string, io: Io, ended: (exitCode: number) => void): Command {
  const root = new Command(program)
    .description("A small business's catalog for its partners: an HTTP API and signed webhooks on one SQLite file.")
    .version(readVersion(), "--version", "print the version")
    .addOption(new Option("--data-dir <folder>", "where the data lives").env("DESKBELL_DATA_DIR"))
    .addOption(
      new Option("--business <slug>", "which business; may be left out when there is one").env("DESKBELL_BUSINESS"),
    )
    .option("--json", 'print {"data": …} on stdout')
    .option("-q, --quiet", "say nothing on stderr but errors")
    .option("-v, --verbose", "say more on stderr")
    .option("--no-color", "print without colours")
    .option("--no-input", "never ask")
    .option("-y, --yes", "answer every confirmation with yes")
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .configureHelp({ showGlobalOptions: true });
  mapUsageErrors(root);

  const start = async (run: (cli: Cli) => ReturnType<CommandSpec["run"]>) => {
    const cli = createCli(program, io, readGlobalFlags(root));
    try {
      ended((await run(cli)) ?? 0);
    } finally {
      cli.close();
    }
  };
  for (const spec of COMMANDS) addCommand(root, spec, start);
  return root;
}

function readGlobalFlags(root: Command): GlobalFlags {
  const given = root.opts();
  const on = (name: string, variable: string) => given[name] === true || envSwitch(variable);
  return {
    dataDir: given.dataDir as string | undefined,
    business: given.business as string | undefined,
    json: on("json", "DESKBELL_JSON"),
    quiet: on("quiet", "DESKBELL_QUIET"),
    verbose: on("verbose", "DESKBELL_VERBOSE"),
    yes: on("yes", "DESKBELL_YES"),
    color: given.color === true,
    input: given.input === true && !envSwitch("DESKBELL_NO_INPUT"),
  };
}
