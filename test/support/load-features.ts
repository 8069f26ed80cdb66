import { loadOtherVisits } from "../../src/app/bookings/other-visits.ts";

// Registers the kinds of visits that features define, as every command and the daemon do.
await loadOtherVisits();
