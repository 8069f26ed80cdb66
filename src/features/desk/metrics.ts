import type { FormatMetrics } from "../../app/operations/monitoring.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { createDeskStore } from "./store.ts";

const formatDevices: FormatMetrics = (rt) => [
  formatMetric("deskbell_desk_devices", "gauge", "Devices that are paired with desks.", [
    ["", rt.openStore(createDeskStore).count(rt.now()).devices],
  ]),
];

export const metrics: readonly FormatMetrics[] = [formatDevices];
