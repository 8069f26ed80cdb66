import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { createAlertLinkStore, createDeskStore } from "./store.ts";

const formatDeskMetrics: FormatMetrics = (rt) => [
  formatMetric("deskbell_desk_devices", "gauge", "Devices that are paired with desks.", [
    ["", rt.openStore(createDeskStore).count(rt.now()).devices],
  ]),
  formatMetric("deskbell_alert_links", "gauge", "Links in alerts that can still be used.", [
    ["", rt.openStore(createAlertLinkStore).count(rt.now())],
  ]),
];

export const metrics: readonly FormatMetrics[] = [formatDeskMetrics];
