import { setTimeout as delay } from "node:timers/promises";
import { resolve } from "node:path";
import { AppError } from "../../../domain/errors.ts";
import { shellQuote } from "../../../domain/text.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";
import { text, toggle } from "../../../cli/flags.ts";
import type { Config } from "../../../config.ts";
import { acquireDaemonLock, isDaemonRunning } from "../../../store/database/database.ts";
import {
  assertNotHandedOver,
  forgetHandover,
  type Handover,
  isAskedByAnother,
  readHandover,
  saveHandover,
} from "../handover/state.ts";

const BUSY_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
/**
 * The maximum wait for the daemon to begin. It looks for a request each second, waits for the disk
 * of the folder, and gives the deliveries in flight 10 s.
 */
const MAX_WAIT_MS = 60_000;

export const definition = command({
  flags: {
    to: text(
      "folder",
      "refuse changes, let the deliveries in flight end, copy the data to this folder, which the other server can read, and stop the daemon",
    ),
    cancel: toggle("let this server go on after a handover that no other server has restored"),
  },
  examples: ["handover --to /mnt/nas/deskbell", "handover --cancel"],
  async run(cli, { to, cancel }) {
    if ((to === undefined) !== cancel)
      throw usageError("Give either --to or --cancel.", "deskbell handover --help");
    const config = cli.configWithData();
    if (to === undefined) return cancelHere(cli, config);
    const dir = resolve(to);
    assertNotHandedOver(config);
    const done = isDaemonRunning(config.databasePath)
      ? await askDaemon(cli, config, dir)
      : await handOverHere(config, dir);
    // Another command may have asked for another folder at the same time, so the folder is that of
    // `done`.
    cli.report(
      { to: done.to, copy: done.copy, handedOverAt: new Date(done.at).toISOString() },
      `Handed over with the copy ${done.copy}. On the other server: ${cli.program} restore --latest ${shellQuote(done.to)}`,
    );
  },
});

async function handOverHere(config: Config, to: string): Promise<Handover> {
  const [{ openRuntime, prepareDataFolder }, { DAEMON }, { handOver, NO_WRITERS }] =
    await Promise.all([
      import("../../../app/runtime.ts"),
      import("../../../domain/audit.ts"),
      import("../handover/hand-over.ts"),
    ]);
  // The lock file is created with the umask that this sets, so that no other user can hold the lock.
  prepareDataFolder(config);
  const lock = acquireDaemonLock(config.databasePath);
  const effects = { actor: () => DAEMON, isDaemon: true, log: () => {} };
  const rt = openRuntime(config, BUSY_TIMEOUT_MS, effects);
  try {
    const failure = await handOver(rt, to, NO_WRITERS);
    return resultOf(config, failure);
  } finally {
    rt.close();
    lock.release();
  }
}

/** Asks the daemon for a handover, and waits until it has stopped. */
async function askDaemon(cli: Cli, config: Config, to: string): Promise<Handover> {
  const { wallClock } = await import("../../../app/runtime.ts");
  const { databasePath } = config;
  const asked: Handover = { state: "asked", to, at: wallClock() };
  // Another handover may have begun since the first check, and its mark must not be replaced.
  assertNotHandedOver(config);
  saveHandover(config, asked);
  cli.note("The daemon sends what it has begun to send, and makes a last copy …");
  for (;;) {
    // The daemon may finish and stop between the two checks, so the state of the handover is read
    // last. There is no state if a restart of the daemon or `handover --cancel` has deleted it.
    const isRunning = isDaemonRunning(databasePath);
    const state = readHandover(config)?.state ?? "failed";
    if (state === "failed" || (state === "done" && !isRunning)) return resultOf(config);
    if (!isRunning || (state === "asked" && wallClock() - asked.at > MAX_WAIT_MS))
      throw unansweredError(config, state, asked);
    await delay(POLL_MS);
  }
}

function unansweredError(config: Config, state: Handover["state"], asked: Handover): AppError {
  if (state === "begun")
    return new AppError("state_refuses", "The daemon has stopped before the last copy was made.", {
      fix: "start it again, which ends the handover: deskbell serve",
    });
  if (!isAskedByAnother(config, asked)) forgetHandover(config);
  return new AppError("state_refuses", "The daemon did not begin with the handover.", {
    fix: "deskbell doctor; a daemon of an older version must be restarted first",
  });
}

const UNKNOWN_REASON =
  "the request was withdrawn, or the reason could not be stored: see the log of the daemon";

/**
 * @param failure the reason of a failure, if this process has tried the handover
 * @throws AppError state_refuses if the handover has failed
 */
function resultOf(config: Config, failure = UNKNOWN_REASON): Handover {
  const handover = readHandover(config);
  if (handover?.state === "done") return handover;
  forgetHandover(config);
  throw new AppError(
    "state_refuses",
    `The data were not handed over: ${handover?.reason ?? failure}`,
    {
      fix: "remove the cause, then run the command again; until then, changes are made on this server",
    },
  );
}

async function cancelHere(cli: Cli, config: Config): Promise<void> {
  const [{ cancelHandover }, { prepareDataFolder, wallClock }] = await Promise.all([
    import("../handover/cancel.ts"),
    import("../../../app/runtime.ts"),
  ]);
  prepareDataFolder(config);
  const lock = acquireDaemonLock(config.databasePath);
  try {
    const handover = readHandover(config);
    if (handover === undefined)
      throw new AppError("state_refuses", "The data were not handed over.", {
        fix: "deskbell serve",
      });
    if (handover.state === "begun" || handover.state === "done")
      cancelHandover(config, handover, wallClock());
    else forgetHandover(config);
    cli.report({ to: handover.to, cancelled: true }, "This server can be started again.");
  } finally {
    lock.release();
  }
}
