// A partner's mirror, written from data/guides/mirror.md alone: it uses public HTTP responses and
// the bodies and sequence numbers of webhooks, and nothing of the program.

type Item = { id: string; sortOrder?: number; [field: string]: unknown };
type Change = { sequence: number; part: string; object: Item | null };
export type Route = keyof typeof PATHS;

/** Sends a GET request for a path below /businesses/{slug}, with the key. */
export type Get = (path: string, headers?: Record<string, string>) => Promise<Response>;

export type MirroredEvent = {
  type: string;
  data: {
    resource: { type: string; id: string };
    action: string;
    object: unknown;
  };
};
type Refetch = { route: string; ids: string[]; idsComplete: boolean };
type Reordered = { order: { id: string; sortOrder: number }[] };

/** The path of each list that the mirror keeps, with its parameters. */
export const PATHS = {
  profile: "",
  services: "/services?includeVariants=true&includeAddons=true&includeTranslations=true",
  "service-categories": "/service-categories?includeTranslations=true",
  staff: "/staff?includeTranslations=true",
  menu: "/menu?includeTranslations=true",
  promotions: "/promotions?includeUpcoming=true&includeTranslations=true",
  "events/catalog": "/events/catalog?includeCancelled=true&includeTranslations=true",
};
export const ROUTES = Object.keys(PATHS) as Route[];

/** Resource type -> its route, and its part of the response. Add-ons are embedded in services. */
const PLACES: Record<string, [Route, string]> = {
  service: ["services", "data"],
  service_category: ["service-categories", "data"],
  staff: ["staff", "data"],
  menu_category: ["menu", "categories"],
  menu_item: ["menu", "items"],
  promotion: ["promotions", "data"],
  event: ["events/catalog", "data"],
};

const TYPES = `service.created,service.updated,service.deleted,service.reordered,
service_price.updated,service_variant.changed,service_category.created,service_category.updated,
service_category.deleted,service_category.reordered,menu_item.created,menu_item.updated,
menu_item.deleted,menu_item.reordered,menu_category.created,menu_category.updated,
menu_category.deleted,menu_category.reordered,promotion.created,promotion.updated,
promotion.deleted,staff.created,staff.updated,staff.deleted,staff.reordered,event.created,
event.updated,event.deleted,event_availability.updated,catalog.changed`.replaceAll("\n", "");

const MAX_IDS = 500;
const DAY_MS = 86_400_000;
const KEEP_DELETED_MS = 9 * DAY_MS;

class List {
  /** The sequence number of the last response with the whole list. */
  sequence = 0;
  validUntil = Infinity;
  etag: string | null = null;
  /** Deleted objects are null, so that a late event does not restore them. */
  readonly changes = new Map<string, Change & { deletedAt: number }>();
}

/**
 * Returns the fine mirror of the guide: it applies events to single objects. @param now epoch ms
 */
export function createMirror(get: Get, now: () => number) {
  const lists = new Map(ROUTES.map((route) => [route, new List()]));
  const listOf = (route: Route): List => lists.get(route) as List;
  /** Route -> the IDs to read, or null for the whole list. */
  let stale = new Map<Route, Set<string> | null>(ROUTES.map((route) => [route, null]));
  let cursor = "latest";
  let restarts = 0;

  function store(route: Route, id: string, { sequence, part, object }: Change): boolean {
    const list = listOf(route);
    if (sequence <= Math.max(list.sequence, list.changes.get(id)?.sequence ?? 0)) return false;
    list.changes.set(id, { sequence, part, object, deletedAt: now() });
    return true;
  }

  function reorder(route: Route, sequence: number, { order }: Reordered): void {
    const list = listOf(route);
    if (sequence <= list.sequence) return;
    list.etag = null;
    for (const { id, sortOrder } of order) {
      const known = list.changes.get(id);
      if (known?.object && known.sequence < sequence) known.object = { ...known.object, sortOrder };
    }
  }

  function markStale({ route, ids, idsComplete }: Refetch, sequence: number): void {
    const list = lists.get(route as Route);
    if (!list || sequence <= list.sequence) return;
    const wanted = ids.filter((id) => (list.changes.get(id)?.sequence ?? 0) < sequence);
    const known = stale.get(route as Route);
    if (known === null || (idsComplete && wanted.length === 0)) return;
    const all = new Set([...(known ?? []), ...wanted]);
    stale.set(route as Route, idsComplete && all.size <= MAX_IDS ? all : null);
  }

  /** Applies an event. Events may arrive in any order and any number of times. */
  function receive(sequence: number, { data: { resource, action, object } }: MirroredEvent): void {
    if (resource.type === "catalog")
      for (const refetch of (object as { refetch: Refetch[] }).refetch)
        markStale(refetch, sequence);
    const [route, part] = PLACES[resource.type] ?? [];
    if (route === undefined || part === undefined) return;
    if (action === "reordered") return reorder(route, sequence, object as Reordered);
    const change = { sequence, part, object: action === "deleted" ? null : (object as Item) };
    if (store(route, resource.id, change)) listOf(route).etag = null;
  }

  async function readWhole(route: Route): Promise<void> {
    const list = listOf(route);
    const response = await get(PATHS[route], list.etag ? { "if-none-match": list.etag } : {});
    const sequence = Number(response.headers.get("x-service-sequence"));
    if (sequence < list.sequence) return;
    list.sequence = sequence;
    if (response.status === 304) return;
    const { data, meta } = (await response.json()) as Body;
    setValidUntil(list, meta);
    for (const [id, change] of list.changes)
      if (change.sequence <= sequence) list.changes.delete(id);
    const isCurrent = list.changes.size === 0;
    for (const { part, object } of objectsOf(data))
      if (!list.changes.has(object.id))
        list.changes.set(object.id, { sequence, part, object, deletedAt: now() });
    list.etag = isCurrent ? response.headers.get("etag") : null;
  }

  async function readIds(route: Route, ids: Set<string>): Promise<void> {
    const path = PATHS[route];
    const response = await get(`${path}${path.includes("?") ? "&" : "?"}ids=${[...ids].join(",")}`);
    const sequence = Number(response.headers.get("x-service-sequence"));
    const { data, meta } = (await response.json()) as Body;
    const list = listOf(route);
    list.etag = null;
    if (sequence >= list.sequence) setValidUntil(list, meta);
    const found = new Map(objectsOf(data).map((one) => [one.object.id, one]));
    for (const id of ids)
      store(route, id, { sequence, ...(found.get(id) ?? { part: "data", object: null }) });
  }

  /** Reads the lists and objects again that events or the clock have made stale. */
  async function refresh(): Promise<void> {
    for (const [route, list] of lists) {
      for (const [id, { object, deletedAt }] of list.changes)
        if (!object && deletedAt <= now() - KEEP_DELETED_MS) list.changes.delete(id);
      if (list.validUntil <= now()) stale.set(route, null);
    }
    while (stale.size > 0) {
      const reads = stale;
      stale = new Map();
      for (const [route, ids] of reads) await (ids ? readIds(route, ids) : readWhole(route));
    }
  }

  async function poll(): Promise<Feed> {
    const response = await get(`/changes?after=${cursor}&types=${TYPES}`);
    if (response.status !== 410) return (await response.json()) as Feed;
    cursor = "latest";
    restarts += 1;
    stale = new Map(ROUTES.map((route) => [route, null]));
    return poll();
  }

  return {
    receive,
    refresh,
    /** Applies the events since the last call; the first call only finds the end of the feed. */
    async catchUp(): Promise<void> {
      for (let hasMore = true; hasMore;) {
        const { data, page, meta } = await poll();
        data.forEach((event, i) => receive(meta.sequences[i] as number, event));
        cursor = page.nextCursor;
        hasMore = page.hasMore;
      }
    },
    /** How often the cursor has expired. */
    restarts: () => restarts,
    /** What the partner's website shows, in the form of the responses' `data`. */
    shown: (): Record<Route, unknown> =>
      Object.fromEntries(
        ROUTES.map((route) => [route, toData(route, [...listOf(route).changes.values()], now())]),
      ) as Record<Route, unknown>,
  };
}

function setValidUntil(list: List, { validUntil }: Body["meta"]): void {
  list.validUntil = validUntil ? Date.parse(validUntil) : Infinity;
}

type Body = { data: Item[] | Item | Record<string, Item[]>; meta: { validUntil?: string | null } };
type Feed = {
  data: MirroredEvent[];
  page: { hasMore: boolean; nextCursor: string };
  meta: { sequences: number[] };
};

function objectsOf(data: Body["data"]): { part: string; object: Item }[] {
  const parts = Array.isArray(data) || isItem(data) ? { data: [data].flat() } : data;
  return Object.entries(parts).flatMap(([part, objects]) =>
    objects.map((object) => ({ part, object })),
  );
}

const isItem = (data: Item | Record<string, unknown>): data is Item =>
  typeof data["id"] === "string";

function toData(route: Route, changes: Change[], now: number): unknown {
  const inPart = (part: string): Item[] =>
    changes
      .flatMap((change) => (change.part === part && change.object ? [change.object] : []))
      .filter((object) => isShown(route, object, now))
      .sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
  if (route === "profile") return inPart("data")[0];
  if (route !== "menu") return inPart("data");
  return Object.fromEntries(
    ["categories", "items", "modifierGroups"].map((part) => [part, inPart(part)]),
  );
}

/**
 * Returns whether a list of the API shows an object. Events also deliver objects that the list
 * leaves out.
 */
function isShown(route: Route, object: Item, now: number): boolean {
  if (route === "promotions") {
    const { startsAt } = object["schedule"] as { startsAt: string | null };
    return object["active"] === true || (startsAt !== null && Date.parse(startsAt) > now);
  }
  if (route === "events/catalog")
    return object["status"] !== "ENDED" && Date.parse(object["endsAt"] as string) > now;
  return true;
}
