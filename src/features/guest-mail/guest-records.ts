import type { ReadGuestRecords } from "../../app/feature-hooks.ts";
import { createReportStore } from "./store.ts";
import { toListed } from "./listed-mail.ts";

/** Returns the mails about a visit, for the export of guest data. Their links are not stored. */
const readMails: ReadGuestRecords = (rt, visitId) => ({
  mails: rt.openStore(createReportStore).listByVisit(visitId).map(toListed),
});

export const guestRecords: readonly ReadGuestRecords[] = [readMails];
