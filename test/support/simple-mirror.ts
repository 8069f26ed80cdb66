import { type Get, type MirroredEvent, PATHS, type Route, ROUTES } from "./mirror.ts";

type Copy = { sequence: number; validUntil: number; etag: string | null; data: unknown };

/**
 * Returns the simple mirror of data/guides/mirror.md: it reads every list that an event makes
 * stale.
 */
export function createSimpleMirror(get: Get, now: () => number) {
  const copies = new Map<Route, Copy>();
  const stale = new Set(ROUTES);

  return {
    receive(sequence: number, { type, data }: MirroredEvent): void {
      const routes =
        type === "catalog.changed"
          ? (data.object as { routes: Route[] }).routes
          : type === "event_availability.updated"
            ? (["events/catalog"] as const)
            : [];
      for (const route of routes)
        if (sequence > (copies.get(route)?.sequence ?? Infinity)) stale.add(route);
    },
    async refresh(): Promise<void> {
      for (const [route, { validUntil }] of copies) if (validUntil <= now()) stale.add(route);
      for (const route of stale) {
        const copy = copies.get(route);
        const response = await get(PATHS[route], copy?.etag ? { "if-none-match": copy.etag } : {});
        const sequence = Number(response.headers.get("x-service-sequence"));
        if (response.status === 304 && copy) copy.sequence = Math.max(copy.sequence, sequence);
        else if (sequence >= (copy?.sequence ?? 0)) {
          const { data, meta } = (await response.json()) as {
            data: unknown;
            meta: { validUntil: string | null };
          };
          const validUntil = meta.validUntil === null ? Infinity : Date.parse(meta.validUntil);
          copies.set(route, { sequence, validUntil, etag: response.headers.get("etag"), data });
        }
      }
      stale.clear();
    },
    shown: (): Record<string, unknown> =>
      Object.fromEntries([...copies].map(([route, { data }]) => [route, data])),
  };
}
