/** The simple mirror of the guide "Keep a mirror", written from the guide alone. */
import { type Delivered, type Event, type Read, ROUTES } from "./documented-mirror.ts";

/** A mirror that reads a whole list again whenever something in it changes. */
export class SimpleMirror {
  readonly #read: Read;
  readonly #copies = new Map<
    string,
    { data: unknown; etag: string; sequence: number; validUntil: string | null }
  >();
  readonly #stale = new Set<string>();
  #cursor = "";

  constructor(read: Read) {
    this.#read = read;
  }

  async start(): Promise<void> {
    const { body } = await this.#read("/changes?after=latest");
    this.#cursor = body.page.nextCursor;
    await this.readAgain();
  }

  receive({ event, sequence }: Delivered): void {
    const routes =
      event.type === "catalog.changed"
        ? event.data.object.routes
        : event.type === "event_availability.updated"
          ? ["events/catalog"]
          : [];
    for (const route of routes)
      if (ROUTES[route] !== undefined && (this.#copies.get(route)?.sequence ?? -1) < sequence)
        this.#stale.add(route);
  }

  async catchUp(): Promise<void> {
    const types = "event_availability.updated,catalog.changed";
    for (let hasMore = true; hasMore;) {
      const { body } = await this.#read(`/changes?after=${this.#cursor}&types=${types}`);
      (body.data as Event[]).forEach((event, index) =>
        this.receive({ event, sequence: body.meta.sequences[index] ?? 0 }),
      );
      this.#cursor = body.page.nextCursor;
      hasMore = body.page.hasMore;
    }
    await this.applyPending();
  }

  /** Reads the stale routes. */
  async applyPending(): Promise<void> {
    for (const route of this.#stale) {
      const copy = this.#copies.get(route);
      const { status, body, etag, sequence } = await this.#read(ROUTES[route] ?? "", copy?.etag);
      this.#stale.delete(route);
      if (status === 304 && copy) copy.sequence = sequence;
      else if (!copy || sequence >= copy.sequence)
        this.#copies.set(route, {
          data: body.data,
          etag,
          sequence,
          validUntil: body.meta.validUntil,
        });
    }
  }

  /** Reads all lists again, as a client does every hour. */
  async readAgain(): Promise<void> {
    for (const route of Object.keys(ROUTES)) this.#stale.add(route);
    await this.applyPending();
  }

  async readExpired(now: number): Promise<void> {
    for (const [route, { validUntil }] of this.#copies)
      if (validUntil !== null && Date.parse(validUntil) <= now) this.#stale.add(route);
    await this.applyPending();
  }

  show(route: string): unknown {
    return this.#copies.get(route)?.data;
  }
}
