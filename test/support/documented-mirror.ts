/** The fine mirror of the guide "Keep a mirror", written from the guide alone. */

/** The fields that the mirror uses of a catalog object, which it stores as a whole. */
type Item = {
  id: string;
  sortOrder: number;
  status?: string;
  active?: boolean;
  schedule?: { startsAt: string | null };
  endsAt?: string;
};
type Order = { id: string; sortOrder: number }[];
type Refetch = { route: string; ids: string[]; idsComplete: boolean }[];
export type Event = {
  id: string;
  type: string;
  data: {
    resource: { type: string; id: string };
    object: Item & { order: Order; routes: string[]; refetch: Refetch };
  };
};
type Menu = Record<"categories" | "items" | "modifierGroups", Item[]>;
export type Body = {
  data: unknown;
  page: { hasMore: boolean; nextCursor: string };
  meta: { sequences: number[]; validUntil: string | null };
};
export type Delivered = { event: Event; sequence: number };
/** Sends a GET for a path of the business. */
export type Read = (path: string, etag?: string) => Promise<Reply>;
export type Reply = { status: number; body: Body; etag: string; sequence: number };

export const ROUTES: Record<string, string> = {
  profile: "",
  services: "/services?includeVariants=true&includeAddons=true&includeTranslations=true",
  "service-categories": "/service-categories?includeTranslations=true",
  staff: "/staff?includeTranslations=true",
  menu: "/menu?includeTranslations=true",
  promotions: "/promotions?includeUpcoming=true&includeTranslations=true",
  "events/catalog": "/events/catalog?includeCancelled=true&includeTranslations=true",
};

const CATALOG_EVENTS = [
  "service.created,service.updated,service.deleted,service.reordered,service_price.updated",
  "service_variant.changed,service_category.created,service_category.updated",
  "service_category.deleted,service_category.reordered,menu_item.created,menu_item.updated",
  "menu_item.deleted,menu_item.reordered,menu_category.created,menu_category.updated",
  "menu_category.deleted,menu_category.reordered,promotion.created,promotion.updated",
  "promotion.deleted,staff.created,staff.updated,staff.deleted,staff.reordered,event.created",
  "event.updated,event.deleted,event_availability.updated,catalog.changed",
].join(",");
export const EVENT_TYPES = CATALOG_EVENTS.split(",");

/** The list that contains the objects of each resource type. */
const LIST_OF: Record<string, string> = {
  service: "services",
  service_price: "services",
  service_variant: "services",
  service_category: "service-categories",
  staff: "staff",
  menu_item: "menu",
  menu_category: "menu",
  promotion: "promotions",
  event: "events/catalog",
  event_availability: "events/catalog",
};

/** A documented step that a control leaves out. */
export type Omission = "deletions" | "order" | "refetch" | "numbers" | "none";

type List = { sequence: number; etag: string | undefined; validUntil: string | null };
type Stored = { list: string; part: string; object: Item | null; sequence: number };

/** Returns the objects of a response, each with the part of the list that contains it. */
function objectsOf(route: string, data: unknown): { part: string; object: Item }[] {
  const parts: Record<string, Item[]> =
    route === "menu" ? (data as Menu) : { [route]: [data].flat() as Item[] };
  return Object.entries(parts).flatMap(([part, list]) => list.map((object) => ({ part, object })));
}

const partOf = (event: Event, list: string): string => {
  if (list !== "menu") return list;
  return event.data.resource.type === "menu_category" ? "categories" : "items";
};

/** A mirror that applies the changed objects from the events, and reads few lists. */
export class FineMirror {
  readonly #read: Read;
  readonly omission: Omission;
  readonly #lists = new Map<string, List>();
  readonly #objects = new Map<string, Stored>();
  readonly #pending = new Map<string, Delivered>();
  readonly #done = new Set<string>();
  #cursor = "";
  applied = 0;

  constructor(read: Read, omission: Omission = "none") {
    this.#read = read;
    this.omission = omission;
  }

  async start(): Promise<void> {
    const { body } = await this.#read("/changes?after=latest");
    this.#cursor = body.page.nextCursor;
    for (const route of Object.keys(ROUTES)) await this.readList(route);
    await this.catchUp();
  }

  /** Stores a delivered event as pending, once. */
  receive(delivered: Delivered): void {
    if (!this.#done.has(delivered.event.id)) this.#pending.set(delivered.event.id, delivered);
  }

  async catchUp(): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const { body } = await this.#read(`/changes?after=${this.#cursor}&types=${CATALOG_EVENTS}`);
      (body.data as Event[]).forEach((event, index) =>
        this.receive({ event, sequence: body.meta.sequences[index] ?? 0 }),
      );
      await this.applyPending();
      this.#cursor = body.page.nextCursor;
      hasMore = body.page.hasMore;
    }
  }

  /** Applies the pending events in the order of their sequence numbers. */
  async applyPending(): Promise<void> {
    const pending = [...this.#pending.values()].sort((a, b) => a.sequence - b.sequence);
    for (const delivered of pending) {
      await this.#apply(delivered);
      this.#pending.delete(delivered.event.id);
      this.#done.add(delivered.event.id);
      this.applied++;
    }
  }

  async #apply({ event, sequence }: Delivered): Promise<void> {
    const [resource = "", action = ""] = event.type.split(".");
    if (event.type === "catalog.changed") return this.#refetch(event, sequence);
    const list = LIST_OF[resource];
    if (list === undefined) return;
    const { object, ...rest } = event.data;
    if (action === "reordered") {
      if (this.omission !== "order") this.#reorder(list, object.order, sequence);
    } else if (action === "deleted") {
      if (this.omission !== "deletions")
        this.#store(rest.resource.id, list, partOf(event, list), null, sequence);
    } else this.#store(rest.resource.id, list, partOf(event, list), object, sequence);
  }

  #sequenceOf(list: string): number {
    return this.#lists.get(list)?.sequence ?? -1;
  }

  #forgetEtag(list: string): void {
    const known = this.#lists.get(list);
    if (known) known.etag = undefined;
  }

  #store(id: string, list: string, part: string, object: Item | null, sequence: number): void {
    const newest = Math.max(this.#sequenceOf(list), this.#objects.get(id)?.sequence ?? -1);
    if (sequence <= newest && this.omission !== "numbers") return;
    this.#objects.set(id, { list, part, object, sequence });
    this.#forgetEtag(list);
  }

  #reorder(list: string, order: { id: string; sortOrder: number }[], sequence: number): void {
    if (sequence <= this.#sequenceOf(list)) return;
    for (const { id, sortOrder } of order) {
      const stored = this.#objects.get(id);
      if (!stored?.object || stored.sequence >= sequence) continue;
      stored.object = { ...stored.object, sortOrder };
    }
    this.#forgetEtag(list);
  }

  async #refetch(event: Event, sequence: number): Promise<void> {
    if (this.omission === "refetch") return;
    for (const { route, ids, idsComplete } of event.data.object.refetch) {
      if (ROUTES[route] === undefined) continue;
      if (!idsComplete) {
        if (this.#sequenceOf(route) < sequence) await this.readList(route);
        continue;
      }
      const stale = ids.filter((id) => {
        const known = Math.max(this.#sequenceOf(route), this.#objects.get(id)?.sequence ?? -1);
        return known < sequence;
      });
      for (let at = 0; at < stale.length; at += 500)
        await this.#readIds(route, stale.slice(at, at + 500));
    }
  }

  async #readIds(route: string, ids: string[]): Promise<void> {
    const { body, sequence } = await this.#read(`${ROUTES[route]}&ids=${ids.join(",")}`);
    const missing = new Set(ids);
    for (const { part, object } of objectsOf(route, body.data)) {
      missing.delete(object.id);
      this.#store(object.id, route, part, object, sequence);
    }
    for (const id of missing)
      this.#store(id, route, this.#objects.get(id)?.part ?? route, null, sequence);
    const list = this.#lists.get(route);
    if (list) list.validUntil = body.meta.validUntil;
  }

  async readList(route: string): Promise<void> {
    const known = this.#lists.get(route);
    const reply = await this.#read(ROUTES[route] ?? "", known?.etag);
    const { status, body, sequence } = reply;
    if (sequence < this.#sequenceOf(route)) return;
    if (status === 304) {
      if (known) known.sequence = sequence;
      return;
    }
    for (const [id, stored] of this.#objects)
      if (stored.list === route && stored.sequence <= sequence) this.#objects.delete(id);
    for (const { part, object } of objectsOf(route, body.data)) {
      const newer = this.#objects.get(object.id);
      if (!newer) this.#objects.set(object.id, { list: route, part, object, sequence });
    }
    const isNewest = [...this.#objects.values()].every(
      (stored) => stored.list !== route || stored.sequence <= sequence,
    );
    this.#lists.set(route, {
      sequence,
      etag: isNewest ? reply.etag : undefined,
      validUntil: body.meta.validUntil,
    });
  }

  /** Reads the lists whose `validUntil` has passed. */
  async readExpired(now: number): Promise<void> {
    for (const [route, { validUntil }] of this.#lists)
      if (validUntil !== null && Date.parse(validUntil) <= now) await this.readList(route);
  }

  /** Returns the objects of a list that the mirror shows, in order. */
  show(route: string, now: number): unknown {
    const shown = (wanted: string): unknown[] =>
      [...this.#objects.values()]
        .filter(({ list, part }) => list === route && part === wanted)
        .flatMap(({ object }) => object ?? [])
        .filter((object) => isShown(route, object, now))
        .sort((a, b) => a.sortOrder - b.sortOrder);
    if (route === "profile") return shown("profile")[0];
    if (route !== "menu") return shown(route);
    return Object.fromEntries(
      ["categories", "items", "modifierGroups"].map((part) => [part, shown(part)]),
    );
  }
}

/** Returns whether a list contains an object: events can store objects that it leaves out. */
function isShown(route: string, object: Item, now: number): boolean {
  if (route === "promotions")
    return object.active === true || Date.parse(object.schedule?.startsAt ?? "") > now;
  if (route !== "events/catalog") return true;
  return object.status !== "ENDED" && Date.parse(object.endsAt ?? "") > now;
}
