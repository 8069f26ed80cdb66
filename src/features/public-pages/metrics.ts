import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { listPageCounts } from "./counters.ts";

const formatSentPages: FormatMetrics = (rt) => {
  const sent = listPageCounts(rt, "sent");
  return sent.length === 0
    ? []
    : [
        formatMetric(
          "deskbell_page_visits_total",
          "counter",
          "Requests for public pages that were answered, by page.",
          sent.map(([page, count]) => [`page="${page}"`, count] as const),
        ),
      ];
};

export const metrics: readonly FormatMetrics[] = [formatSentPages];
