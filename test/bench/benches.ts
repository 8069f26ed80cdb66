import { benchAvailability } from "./availability.ts";
import { benchBookings } from "./bookings.ts";
import { benchCalendar } from "./calendar.ts";
import { benchCatalog, benchEdit } from "./catalog.ts";
import { benchDelivery } from "./delivery.ts";
import { benchDesk } from "./desk.ts";
import { benchExecutable } from "./executable.ts";
import type { Figure } from "./figure.ts";
import { benchHostile } from "./hostile.ts";
import { benchFrameworks, benchHttp } from "./http.ts";
import { benchLargeCatalogs } from "./large-catalogs.ts";
import { benchLatency } from "./latency.ts";
import { benchLongHistory } from "./long-history.ts";
import { benchManyBusinesses } from "./many-businesses.ts";
import { benchManyEndpoints, benchSlowEndpoints } from "./many-endpoints.ts";
import { benchPages } from "./pages.ts";
import { benchPeers } from "./peers.ts";
import { benchReading } from "./reading.ts";
import { benchSilentClients } from "./silent-clients.ts";
import { benchHelp, benchStart } from "./start.ts";
import { benchTui } from "./tui.ts";
import { benchUndo } from "./undo.ts";
import { benchWriters } from "./writers.ts";

/** The benchmarks with the IDs of their figures. `growth` is separate: it prints its own table. */
export const BENCHES: {
  ids: string[];
  run: (wanted: (id: string) => boolean) => Promise<Figure[]>;
}[] = [
  { ids: ["s1", "s2"], run: benchHttp },
  { ids: ["s3"], run: benchFrameworks },
  { ids: ["s5"], run: benchDelivery },
  { ids: ["peers"], run: benchPeers },
  { ids: ["tui"], run: benchTui },
  { ids: ["s7"], run: benchLatency },
  { ids: ["s8"], run: benchReading },
  { ids: ["s10"], run: benchAvailability },
  { ids: ["s11"], run: benchStart },
  { ids: ["s12"], run: benchHelp },
  { ids: ["s13"], run: benchCatalog },
  { ids: ["catalogs"], run: benchLargeCatalogs },
  { ids: ["edit"], run: benchEdit },
  { ids: ["undo"], run: benchUndo },
  { ids: ["s14"], run: benchManyBusinesses },
  { ids: ["history"], run: benchLongHistory },
  { ids: ["s15"], run: benchSlowEndpoints },
  { ids: ["r6"], run: benchManyEndpoints },
  { ids: ["r8"], run: benchWriters },
  { ids: ["bookings"], run: benchBookings },
  { ids: ["calendar"], run: benchCalendar },
  { ids: ["pages"], run: benchPages },
  { ids: ["desk"], run: benchDesk },
  { ids: ["hostile"], run: benchHostile },
  { ids: ["silent"], run: benchSilentClients },
  { ids: ["binary"], run: benchExecutable },
];
