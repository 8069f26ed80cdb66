import { prepareForInk } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { toggle } from "../flags.ts";

export const tui = command({
  name: "tui",
  about: "Watch deliveries live: what fails, why, and one key to send it again.",
  flags: {
    readonly: toggle("look only: send nothing"),
    ascii: toggle("draw with ASCII alone"),
  },
  examples: ["tui", "tui --business salon-aurora --readonly"],
  async run(cli, { readonly, ascii }) {
    const { stdin, stdout } = cli.io;
    if (!stdin.isTTY || !stdout.isTTY)
      throw new AppError("usage", "The live view needs a terminal.", { fix: "deskbell deliveries tail" });
    prepareForInk(cli.flags.color);
    const [{ runLiveView }, { createClock }, { untilStopped, exitCodeOf }, { isDaemonRunning }, { readVersion }] =
      await Promise.all([
        import("../../tui/run.tsx"),
        import("../../tui/times.ts"),
        import("../stop-signal.ts"),
        import("../../store/database.ts"),
        import("../../assets.ts"),
      ]);
    const rt = await cli.open();
    const stopped = untilStopped();
    const view = runLiveView(
      {
        rt,
        setting: {
          version: readVersion(),
          clock: createClock(Intl.DateTimeFormat().resolvedOptions().timeZone),
          isAscii: ascii,
        },
        isReadonly: readonly,
        businessId: cli.flags.business === undefined ? undefined : cli.business(rt).id,
        // The HTTP client is loaded when somebody tests an endpoint.
        async sendOnce(post) {
          const { createSendOnce } = await import("../../courier/send-once.ts");
          return createSendOnce(rt)(post);
        },
        isDaemonRunning: () => isDaemonRunning(rt.config.databasePath),
      },
      { stdin: stdin as NodeJS.ReadStream, stdout: stdout as NodeJS.WriteStream },
    );
    try {
      const signal = await Promise.race([view.ended, stopped]);
      return signal === null ? EXIT.ok : exitCodeOf(signal);
    } finally {
      view.close();
    }
  },
});
