import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import type { Runtime } from "../../app/runtime.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { countDestinations } from "./state.ts";
import { createDestinationStore } from "./store.ts";

function formatDestinations(rt: Runtime): string[] {
  const { current, untried, failing, late } = countDestinations(rt);
  const waitingSince = rt
    .openStore(createDestinationStore)
    .list()
    // `behindSince` is null if no event has waited for a minute. `Infinity` makes the delay of such
    // a destination 0.
    .map(({ behindSince }) => behindSince ?? Infinity);
  const behindMs = Math.max(rt.now() - Math.min(...waitingSince), 0);
  return [
    formatMetric("deskbell_destinations", "gauge", "Destinations of events by state.", [
      // No publish to an untried destination has failed, so it counts as current.
      ['state="current"', current + untried],
      ['state="failing"', failing],
      ['state="late"', late],
    ]),
    formatMetric(
      "deskbell_destinations_behind_seconds",
      "gauge",
      "How long the oldest event has waited for a destination, in seconds; 0 below one minute.",
      [["", behindMs / 1000]],
    ),
  ];
}

export const metrics: readonly FormatMetrics[] = [formatDestinations];
