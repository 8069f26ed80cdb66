import { cpus } from "node:os";
import { benchAvailability } from "./availability.ts";
import { benchBookings } from "./bookings.ts";
import { benchCalendar } from "./calendar.ts";
import { benchCatalog, benchEdit } from "./catalog.ts";
import { benchDelivery } from "./delivery.ts";
import { benchExecutable } from "./executable.ts";
import { benchFrameworks, benchHttp } from "./http.ts";
import { benchGrowth } from "./growth/growth.ts";
import { benchHostile } from "./hostile.ts";
import { benchLatency } from "./latency.ts";
import { benchLargeCatalogs } from "./large-catalogs.ts";
import { benchLongHistory } from "./long-history.ts";
import { benchManyBusinesses } from "./many-businesses.ts";
import { benchManyEndpoints, benchSlowEndpoints } from "./many-endpoints.ts";
import { benchReading } from "./reading.ts";
import type { Figure } from "./figure.ts";
import { benchSilentClients } from "./silent-clients.ts";
import { benchHelp, benchStart } from "./start.ts";
import { benchTui } from "./tui.ts";
import { benchWriters } from "./writers.ts";

// npm run bench [-- s1 s5], npm run bench -- growth [--only NAME] [--max SIZE] [--out FILE].
// Each figure is the median of several rounds, where possible as a ratio to a peer measured in the
// same run.

const BENCHES: { ids: string[]; run: (wanted: (id: string) => boolean) => Promise<Figure[]> }[] = [
  { ids: ["s1", "s2"], run: benchHttp },
  { ids: ["s3"], run: benchFrameworks },
  { ids: ["s5"], run: benchDelivery },
  { ids: ["tui"], run: benchTui },
  { ids: ["s7"], run: benchLatency },
  { ids: ["s8"], run: benchReading },
  { ids: ["s10"], run: benchAvailability },
  { ids: ["s11"], run: benchStart },
  { ids: ["s12"], run: benchHelp },
  { ids: ["s13"], run: benchCatalog },
  { ids: ["catalogs"], run: benchLargeCatalogs },
  { ids: ["edit"], run: benchEdit },
  { ids: ["s14"], run: benchManyBusinesses },
  { ids: ["history"], run: benchLongHistory },
  { ids: ["s15"], run: benchSlowEndpoints },
  { ids: ["r6"], run: benchManyEndpoints },
  { ids: ["r8"], run: benchWriters },
  { ids: ["bookings"], run: benchBookings },
  { ids: ["calendar"], run: benchCalendar },
  { ids: ["hostile"], run: benchHostile },
  { ids: ["silent"], run: benchSilentClients },
  { ids: ["binary"], run: benchExecutable },
];

// Prints its own table, and takes flags.
if (process.argv[2] === "growth") {
  await benchGrowth(process.argv.slice(3));
  process.exit();
}

const asked = process.argv.slice(2).map((id) => id.toLowerCase());
const known = BENCHES.flatMap(({ ids }) => ids);
const unknown = asked.filter((id) => !known.includes(id));
if (unknown.length > 0) {
  console.error(
    `error: Unknown benchmark '${unknown.join("', '")}'.\nfix: choose from ${known.join(", ")}, growth, or pass none to run all`,
  );
  process.exit(2);
}
const wanted = (id: string) => asked.length === 0 || asked.includes(id);

const figures: Figure[] = [];
for (const { ids, run } of BENCHES) if (ids.some(wanted)) figures.push(...(await run(wanted)));

const [cpu] = cpus();
console.log(`\n${cpus().length} x ${cpu?.model.trim()}, Node ${process.versions.node}\n`);
console.log("| # | figure | ours | peer | ratio | goal |\n|---|---|---|---|---|---|");
for (const { id, description, ours, peer, ratio, goal } of figures)
  console.log(
    `| ${id} | ${description} | ${ours} | ${peer ?? "-"} | ${ratio?.toFixed(2) ?? "-"} | ${goal} |`,
  );
