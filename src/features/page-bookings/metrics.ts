import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
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

export const metrics: readonly FormatMetrics[] = [formatLinks];
