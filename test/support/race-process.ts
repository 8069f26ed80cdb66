import { readConfig } from "../../src/config.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { type Race, runRace } from "./race.ts";

// The second process of a race. It opens its own connection and runs when its parent sends a race.

const rt = openRuntime(readConfig({ dataDir: process.argv[2] }, {}), 5000);
process.on(
  "message",
  (message: Race) => void runRace(rt, message).then((finish) => process.send?.(finish)),
);
process.on("disconnect", () => rt.close());
process.send?.("ready");
