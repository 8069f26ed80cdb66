import { command } from "../command.ts";
import { EXIT } from "../failure.ts";
import { toggle } from "../flags.ts";

/** The screen freezes while it waits for another writer, so it gives up soon and shows an error. */
const BUSY_TIMEOUT_MS = 500;

export const definition = command({
  flags: {
    readonly: toggle("disable all actions"),
    ascii: toggle("draw with ASCII characters only"),
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
      businessId: cli.businessId(rt),
    };
    const signal = await showLiveView(cli, rt, options, untilStopped());
    return signal === null ? EXIT.ok : exitCodeOf(signal);
  },
});
