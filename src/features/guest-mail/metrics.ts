import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { createReportStore } from "./store.ts";

const formatMails: FormatMetrics = (rt) => {
  const store = rt.openStore(createReportStore);
  const state = store.findState();
  if (state === undefined) return [];
  const { sent, failed, discarded } = state;
  return [
    formatMetric(
      "deskbell_guest_mails_total",
      "counter",
      "Mails to guests that were sent, that the mail server refused or never accepted, and that were discarded.",
      [
        ['outcome="sent"', sent],
        ['outcome="failed"', failed],
        ['outcome="discarded"', discarded],
      ],
    ),
    formatMetric("deskbell_guest_mails_waiting", "gauge", "Mails to guests that wait.", [
      ["", store.countWaiting()],
    ]),
  ];
};

export const metrics: readonly FormatMetrics[] = [formatMails];
