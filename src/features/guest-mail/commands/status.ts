import type { ReadStatusPart } from "../../../cli/commands/status.ts";
import { createReportStore } from "../store.ts";

const readStatus: ReadStatusPart = (rt) => {
  if (rt.store.daemon.find()?.mailsGuests !== true) return { rows: [], fields: {} };
  const store = rt.openStore(createReportStore);
  const { sent = 0, failed = 0, discarded = 0 } = store.findState() ?? {};
  const waiting = store.countWaiting();
  const unsent = failed + discarded;
  const parts = [
    `${sent} sent`,
    `${waiting} waiting`,
    ...(unsent > 0 ? [`${unsent} not sent`] : []),
  ];
  return {
    rows: [{ about: "guest mail", state: parts.join(", ") }],
    fields: { guestMail: { sent, waiting, failed, discarded } },
  };
};

export const status: readonly ReadStatusPart[] = [readStatus];
