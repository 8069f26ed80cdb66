import { command } from "../../cli/command.ts";
import { EXIT, usageError } from "../../cli/failure.ts";
import { toggle } from "../../cli/flags.ts";
import { isDumbTerminal, prepareForInk } from "../../config.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Cli } from "../../cli/cli.ts";
import { lazySendOnce } from "../../cli/running/send-once.ts";

/** A short timeout, because the screen freezes while a write waits for another program. */
const BUSY_TIMEOUT_MS = 500;

export const definition = command({
  flags: {
    readonly: toggle("disable all actions"),
    ascii: toggle("draw with ASCII characters only"),
  },
  examples: ["tui", "tui --business salon-aurora --readonly"],
  async run(cli, { readonly, ascii }) {
    assertTerminal(cli);
    const { untilStopped, exitCodeOf } = await import("../../cli/running/stop-signal.ts");
    const rt = await cli.open({ busyTimeoutMs: BUSY_TIMEOUT_MS });
    const options = { isReadonly: readonly, isAscii: ascii, businessId: cli.businessId(rt) };
    const signal = await showLiveView(cli, rt, options, untilStopped());
    return signal === null ? EXIT.ok : exitCodeOf(signal);
  },
});

export type LiveViewOptions = {
  isReadonly: boolean;
  isAscii: boolean;
  /** Undefined to show all businesses. */
  businessId: string | undefined;
};

/** @throws AppError usage if the terminal cannot draw the live view */
export function assertTerminal({ io: { stdin, stdout } }: Cli): void {
  if (!stdin.isTTY || !stdout.isTTY || isDumbTerminal())
    throw usageError("The live view needs an interactive terminal.", "deskbell deliveries tail");
}

/**
 * Shows the view until the user quits or `ended` resolves.
 * @returns the value of `ended`; "SIGINT" for Ctrl-C; null for another key that quits
 */
export async function showLiveView<Reason>(
  cli: Cli,
  rt: Runtime,
  { isReadonly, isAscii, businessId }: LiveViewOptions,
  ended: Promise<Reason>,
): Promise<Reason | "SIGINT" | null> {
  prepareForInk(cli.flags.color);
  const [
    { runLiveView },
    { createTimeFormat },
    { isDaemonRunning },
    { readVersion },
    { loadChecks },
  ] = await Promise.all([
    import("./run.tsx"),
    import("./state/time-format.ts"),
    import("../../store/database/database.ts"),
    import("../../platform/assets.ts"),
    import("../../app/operations/conditions.ts"),
  ]);
  const view = runLiveView(
    {
      rt,
      checks: await loadChecks(),
      settings: {
        version: readVersion(),
        timeFormat: createTimeFormat(Intl.DateTimeFormat().resolvedOptions().timeZone),
        isAscii,
      },
      isReadonly,
      businessId,
      sendOnce: lazySendOnce(rt),
      isDaemonRunning: () => isDaemonRunning(rt.config.databasePath),
    },
    { stdin: cli.io.stdin as NodeJS.ReadStream, stdout: cli.io.stdout as NodeJS.WriteStream },
  );
  try {
    return await Promise.race([view.ended, ended]);
  } finally {
    view.close();
  }
}
