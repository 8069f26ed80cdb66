import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { toggle } from "../flags.ts";

/** While it waits for another writer the screen stands still: better it says so. */
const BUSY_TIMEOUT_MS = 500;

export const tui = command({
  name: "tui",
  about: "Watch deliveries live: what fails, why, and one key to send it again.",
  flags: {
    readonly: toggle("look only: send nothing"),
    ascii: toggle("draw with ASCII alone"),
  },
  examples: ["tui", "tui --business salon-aurora --readonly"],
  async run(cli, { readonly, ascii }) {
    const { assertTerminal, showLiveView } = await import("../running/live-view.ts");
    assertTerminal(cli);
    const { untilStopped, exitCodeOf } = await import("../running/stop-signal.ts");
    const rt = await cli.open({ busyTimeoutMs: BUSY_TIMEOUT_MS });
    const options = {
      isReadonly: readonly,
      isAscii: ascii,
      businessId: cli.flags.business === undefined ? undefined : cli.business(rt).id,
    };
    const signal = await showLiveView(cli, rt, options, untilStopped());
    return signal === null ? EXIT.ok : exitCodeOf(signal);
  },
});
