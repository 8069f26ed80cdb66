import { isDumbTerminal, prepareForInk } from "../../config.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Cli } from "../cli.ts";
import { lazySendOnce } from "./send-once.ts";
import { usageError } from "../failure.ts";

export type LiveViewOptions = {
  isReadonly: boolean;
  isAscii: boolean;
  businessId: string | undefined;
};

/** @throws AppError usage if the terminal cannot draw the live view */
export function assertTerminal({ io: { stdin, stdout } }: Cli): void {
  if (!stdin.isTTY || !stdout.isTTY || isDumbTerminal())
    throw usageError("The live view needs an interactive terminal.", "deskbell deliveries tail");
}

/** @returns the value of `ended`, "SIGINT", or null if the user quit */
export async function showLiveView<Reason>(
  cli: Cli,
  rt: Runtime,
  { isReadonly, isAscii, businessId }: LiveViewOptions,
  ended: Promise<Reason>,
): Promise<Reason | "SIGINT" | null> {
  prepareForInk(cli.flags.color);
  const [{ runLiveView }, { createTimeFormat }, { isDaemonRunning }, { readVersion }] =
    await Promise.all([
      import("../../tui/run.tsx"),
      import("../../tui/time-format.ts"),
      import("../../store/database.ts"),
      import("../../assets.ts"),
    ]);
  const view = runLiveView(
    {
      rt,
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
