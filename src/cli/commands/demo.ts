import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { integer, toggle } from "../flags.ts";

export const demo = command({
  name: "demo",
  about: "Show it at work: a seeded API, a receiver that verifies signatures, and changes that reach it.",
  flags: {
    port: integer(0, 65_535, "port of the API (4100, or any free one)"),
    keep: toggle("leave the demo's data in place at the end"),
  },
  examples: ["demo", "demo --port 4300 --keep"],
  async run(cli, { port, keep }) {
    const [{ startDemo }, { untilStopped }] = await Promise.all([import("../demo.ts"), import("../stop-signal.ts")]);
    const stopped = untilStopped();
    const demo = await startDemo(cli, { port, keep });
    const reason = await Promise.race([stopped, demo.courierDied]);
    await demo.stop();
    return reason === "courier died" ? EXIT.failure : EXIT.ok;
  },
});
