/** Upper bounds of the histogram buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const BOUNDS_MS = BOUNDS.map((seconds) => seconds * 1000);
const DURATION = "deskbell_http_request_duration_seconds";

type Series = { labels: string; buckets: number[]; count: number; sumMs: number };

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  /** The series of each route and method, by the status of the response. */
  const seriesByRoute = new Map<string, Map<number, Series>>();
  const sources: (() => string)[] = [];
  // The last series is kept, because consecutive requests often use one route.
  let last: { route: string; method: string; status: number; series: Series } | undefined;

  const getSeries = (route: string, method: string, status: number): Series => {
    if (last?.route === route && last.status === status && last.method === method)
      return last.series;
    const routeLabels = `route="${route}",method="${method}"`;
    const byStatus = seriesByRoute.get(routeLabels) ?? new Map<number, Series>();
    seriesByRoute.set(routeLabels, byStatus);
    const labels = `${routeLabels},status="${status}"`;
    const series = byStatus.get(status) ?? {
      labels,
      buckets: BOUNDS.map(() => 0),
      count: 0,
      sumMs: 0,
    };
    byStatus.set(status, series);
    last = { route, method, status, series };
    return series;
  };

  return {
    record(route: string, method: string, status: number, durationMs: number): void {
      const series = getSeries(route, method, status);
      series.count += 1;
      series.sumMs += durationMs;
      let bucket = 0;
      while (bucket < BOUNDS_MS.length && durationMs > (BOUNDS_MS[bucket] as number)) bucket += 1;
      if (bucket < BOUNDS_MS.length)
        series.buckets[bucket] = (series.buckets[bucket] as number) + 1;
    },
    /**
     * Adds a function that returns further metrics as text. `format` calls the function each time.
     */
    addSource: (formatSource: () => string): void => void sources.push(formatSource),
    /** Returns the metrics in Prometheus' text format. */
    format: (): string =>
      [
        `# HELP ${DURATION} Time from receiving the request headers to the response.`,
        `# TYPE ${DURATION} histogram`,
        ...[...seriesByRoute.values()].flatMap((byStatus) =>
          [...byStatus.values()].flatMap(formatSeries),
        ),
        ...sources.map((formatSource) => formatSource().trimEnd()),
        "",
      ].join("\n"),
  };
}

export const formatMetric = (
  name: string,
  type: "gauge" | "counter",
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}`),
    "",
  ].join("\n");

function formatSeries({ labels, buckets, count, sumMs }: Series): string[] {
  // A bucket of Prometheus also counts the requests of all buckets before it.
  let cumulative = 0;
  return [
    ...BOUNDS.map(
      (bound, i) =>
        `${DURATION}_bucket{${labels},le="${bound}"} ${(cumulative += buckets[i] ?? 0)}`,
    ),
    `${DURATION}_bucket{${labels},le="+Inf"} ${count}`,
    `${DURATION}_sum{${labels}} ${sumMs / 1000}`,
    `${DURATION}_count{${labels}} ${count}`,
  ];
}
