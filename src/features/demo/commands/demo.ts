import { command } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/failure.ts";
import { integer, toggle } from "../../../cli/flags.ts";

export const definition = command({
  flags: {
    port: integer(0, 65_535, "port of the API (default: 4100, or a free one)"),
    keep: toggle("keep the demo's data when it ends"),
    tui: toggle("show the deliveries in the live view; q ends the demo"),
  },
  examples: ["demo", "demo --tui", "demo --port 4300 --keep"],
  async run(cli, { port, keep, tui }) {
    const [{ startDemo }, { untilStopped, PARENT_ENDED }, { assertTerminal, showLiveView }] =
      await Promise.all([
        import("./start-demo.ts"),
        import("../../../cli/running/stop-signal.ts"),
        import("../../live-view/commands.ts"),
      ]);
    if (tui) assertTerminal(cli);
    const stopped = untilStopped();
    const demo = await startDemo(cli, { port, keep, printAttempts: !tui });
    const ended = Promise.race([stopped, demo.failed.then(() => EXIT.failure)]);
    const options = { isReadonly: false, isAscii: false, businessId: undefined };
    const end = tui ? await showLiveView(cli, demo.rt, options, ended) : await ended;
    if (end === PARENT_ENDED) cli.note(`stopping: ${end}`);
    await demo.stop();
    return end === EXIT.failure ? EXIT.failure : EXIT.ok;
  },
});
