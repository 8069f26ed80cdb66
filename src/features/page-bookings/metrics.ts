import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { listPageCounts } from "../public-pages/counters.ts";
import { createPageBookingStore } from "./store.ts";

const formatLinks: FormatMetrics = (rt) => {
  const links = rt.openStore(createPageBookingStore).count();
  return links === 0
    ? []
    : [
        formatMetric(
          "deskbell_page_booked_visits",
          "gauge",
          "Visits that guests made on public pages and can still see by their links.",
          [["", links]],
        ),
      ];
};

const formatActions: FormatMetrics = (rt) => {
  const actions = listPageCounts(rt, "action");
  return actions.every(([, count]) => count === 0)
    ? []
    : [
        formatMetric(
          "deskbell_page_actions_total",
          "counter",
          "What guests did on booking pages: holds, visits and orders that were made, and refusals.",
          actions.map(([action, count]) => [`action="${action}"`, count] as const),
        ),
      ];
};

export const metrics: readonly FormatMetrics[] = [formatLinks, formatActions];
