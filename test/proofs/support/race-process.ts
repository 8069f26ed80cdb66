import { readConfig } from "../../../src/config.ts";
import { openRuntime } from "../../../src/app/runtime.ts";
import { type Race, runRace, withoutTransactions } from "./race.ts";

// The second process of a race. It opens its own connection and runs when its parent sends a race.
// Arguments: the data folder, and "broken" to compete without transactions.

const [dataDir, variant] = process.argv.slice(2);
const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
const competitor = variant === "broken" ? withoutTransactions(rt) : rt;
process.on(
  "message",
  (message: Race) => void runRace(competitor, message).then((finish) => process.send?.(finish)),
);
process.on("disconnect", () => rt.close());
process.send?.("ready");
