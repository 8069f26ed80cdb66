import { loadOtherVisits } from "../../src/app/bookings/other-visits.ts";

// Every command and the daemon load the visits of features when they open the data.
await loadOtherVisits();
