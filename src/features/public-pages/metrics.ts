import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { listVisits } from "./visits.ts";

const formatVisits: FormatMetrics = (rt) => {
  const visits = listVisits(rt);
  return visits.length === 0
    ? []
    : [
        formatMetric(
          "deskbell_page_visits_total",
          "counter",
          "Requests for public pages that were answered, by page.",
          visits.map(([page, count]) => [`page="${page}"`, count] as const),
        ),
      ];
};

export const metrics: readonly FormatMetrics[] = [formatVisits];
