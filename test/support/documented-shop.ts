/**
 * A random business on a running server, which is changed as by owners and asked as by partners.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Availability } from "./documented-availability.ts";
import { Comparison } from "./documented-comparison.ts";
import type { Business } from "./documented-types.ts";
import {
  type CatalogFile,
  type Draw,
  drawCatalog,
  drawZone,
  interestingDays,
} from "./documented-catalog.ts";
import {
  type Answer,
  minuteOf,
  type Question,
  type Segment,
  type Slot,
} from "./documented-days.ts";
import { type Reply, sendJson } from "./documented-client.ts";
import { drawEdit } from "./documented-owner.ts";
import { drawQuestion, queryOf, toSegment } from "./documented-questions.ts";
import { type PublicCatalog, readBusiness } from "./documented-world.ts";
import { createZone } from "./documented-hours.ts";

type Terminal = (line: string) => Promise<{ code: number | null; stdout: string; stderr: string }>;
/** The server, and what draws the random choices. */
type Place = { url: string; folder: string; deskbell: Terminal; draw: Draw };
type Visit = {
  id: string;
  startsAt: string;
  endsAt: string;
  guests: number;
  totalCents?: number;
  tableId?: string | null;
  segments?: (Segment & { serviceId: string; staffId: string | null })[];
};
type Count = { date: string; state: string; slotCount: number };
export class Shop {
  readonly #place: Place;
  readonly slug: string;
  readonly days: string[];
  readonly file: CatalogFile;
  #key = "";
  /** A key that may not read bookings, and gets general reasons only. */
  #websiteKey = "";
  business!: Business;
  #visits: { id: string; route: string }[] = [];
  /** The IDs of staff members by their keys. */
  readonly #ids = new Map<string, string>();

  static async open(place: Place, slug: string): Promise<Shop> {
    const shop = new Shop(place, slug);
    await shop.#apply();
    return shop;
  }

  private constructor(place: Place, slug: string) {
    this.#place = place;
    this.slug = slug;
    const timezone = drawZone(place.draw);
    const today = createZone(timezone).dateOf(Math.floor(Date.now() / 60_000));
    this.days = interestingDays(timezone, today, place.draw);
    this.file = drawCatalog(slug, timezone, this.days, place.draw);
  }

  async #deskbell(line: string): Promise<{ code: number | null; data: unknown; stderr: string }> {
    const { code, stdout, stderr } = await this.#place.deskbell(
      `${line} --business ${this.slug} --json --yes`,
    );
    return { code, data: stdout === "" ? null : JSON.parse(stdout).data, stderr };
  }

  #send(method: string, path: string, body?: unknown, key = this.#key): Promise<Reply> {
    return sendJson(method, `${this.#place.url}/v1/businesses/${this.slug}${path}`, key, body);
  }

  async #get<T>(path: string, key = this.#key): Promise<T> {
    const { status, body } = await this.#send("GET", path, undefined, key);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body.data as T;
  }

  async #apply(): Promise<void> {
    const path = join(this.#place.folder, `${this.slug}.json`);
    writeFileSync(path, JSON.stringify(this.file));
    const applied = await this.#place.deskbell(`catalog apply ${path} --yes`);
    assert.equal(applied.code, 0, applied.stderr);
    const limits = "--limit-minute 100000 --limit-hour 1000000 --max-holds 1000";
    const key = await this.#place.deskbell(
      `keys create --secret --name proof ${limits} --max-bookings-day 100000 --business ${this.slug}`,
    );
    this.#key = key.stdout.trim();
    const website = await this.#place.deskbell(
      `keys create --scope services.read --name website ${limits} --business ${this.slug}`,
    );
    this.#websiteKey = website.stdout.trim();
    const { data } = await this.#deskbell("staff list");
    for (const person of data as { key: string; id: string }[])
      this.#ids.set(person.key, person.id);
    await this.read();
  }

  /** Reads the public catalog again, and keeps the bookings. */
  async read(): Promise<void> {
    const [profile, services, staff] = await Promise.all([
      this.#get<PublicCatalog["profile"]>(""),
      this.#get<PublicCatalog["services"]>("/services?includeVariants=true&includeAddons=true"),
      this.#get<PublicCatalog["staff"]>("/staff"),
    ]);
    const known = this.business as Business | undefined;
    this.business = readBusiness({ profile, services, staff }, this.file, this.#ids);
    if (known === undefined) return this.#readTables();
    const { tables, occupied, seated } = known;
    this.business = { ...this.business, tables, occupied, seated };
  }

  /**
   * Reads the IDs of each table from the preview of a reservation, because no route lists tables.
   */
  async #readTables(): Promise<void> {
    for (const { key, minSeats, maxSeats } of this.file.tables) {
      const query = `partySize=${minSeats}&granularity=next&limit=8`;
      const { slots } = await this.#get<{ slots: Slot[] }>(`/availability?${query}`);
      // The next start could become too soon before it is reserved.
      const start = slots.at(-1)?.startsAt;
      if (start === undefined) return;
      const { code, data } = await this.#deskbell(
        `reservations create --party ${minSeats} --start ${start} --table ${key} --dry-run`,
      );
      assert.equal(code, 0);
      const { tableId, areaId } = data as { tableId: string; areaId: string | null };
      this.business.tables.push({
        id: tableId,
        area: areaId,
        min: minSeats,
        max: maxSeats,
      });
    }
  }

  drawQuestion(): Question | null {
    return drawQuestion(this.business, this.days, this.#place.draw);
  }

  async ask(question: Question, key = this.#key): Promise<Answer> {
    return this.#get(`/availability?explain=true&${queryOf(question)}`, key);
  }

  /** Asks one question in several ways and compares the answers with the documentation. */
  async compare(question: Question, business = this.business): Promise<Comparison> {
    const { draw } = this.#place;
    const comparison = new Comparison(new Availability(business));
    const isWebsite = draw.chance(30);
    const before = Date.now();
    const answer = await this.ask(question, isWebsite ? this.#websiteKey : this.#key);
    comparison.compare(question, answer, { before, after: Date.now() }, isWebsite);
    if (draw.chance(20)) {
      const query = queryOf(question);
      const { days } = await this.#get<{ days: Count[] }>(
        `/availability?granularity=days&${query}`,
      );
      // The server refuses `to` with granularity=next.
      query.delete("to");
      const { slots } = await this.#get<{ slots: Slot[] }>(
        `/availability?granularity=next&limit=2&${query}`,
      );
      comparison.compareSummaries(answer, days, slots);
    }
    await this.#compareBooking(question, comparison);
    return comparison;
  }

  /** Compares the preview of a booking at a random start, on the grid or not. */
  async #compareBooking(question: Question, comparison: Comparison): Promise<void> {
    if ("party" in question) return;
    const { draw } = this.#place;
    const day = this.business.zone.instantOf(question.from, 0);
    const start = day + 5 * draw.int(288) + (draw.chance(20) ? draw.int(5) : 0);
    const before = Date.now();
    const { status, body } = await this.#send("POST", "/bookings?dryRun=true", {
      startsAt: this.business.zone.format(start),
      guests: question.guests,
      segments: question.wishes.map(toSegment),
    });
    const reason = status === 200 ? null : (body.reason ?? body.code ?? "");
    comparison.compareBooking(question, start, reason, { before, after: Date.now() });
  }

  /** Books, holds, moves or cancels as a partner, or changes hours as the owner. */
  async change(): Promise<void> {
    const { draw } = this.#place;
    const what = draw.int(12);
    if (what < 6) await this.#take(draw.chance(25) ? "/holds" : "/bookings");
    else if (what === 6) await this.#cancel();
    else if (what === 7) await this.#move();
    else {
      const edit = drawEdit(this.file, this.days, draw);
      if (edit === null) return;
      await this.#run(edit);
      await this.read();
    }
  }

  async #take(route: string): Promise<void> {
    const { draw } = this.#place;
    const question = this.drawQuestion();
    if (!question) return;
    const slots = (await this.ask(question)).days.flatMap((day) => day.slots);
    if (slots.length === 0) return;
    const { startsAt, segments } = draw.pick(slots);
    const isTable = "party" in question;
    const place = isTable
      ? { partySize: question.party, areaId: question.area }
      : {
          guests: question.guests,
          segments: segments.map(({ serviceId, variantId, addons, staffId }) => ({
            serviceId,
            variantId,
            addons,
            staffId: draw.chance(50) ? null : staffId,
          })),
        };
    const path = isTable && route === "/bookings" ? "/reservations" : route;
    const { status, body } = await this.#send("POST", path, {
      startsAt,
      ...place,
      ...(route === "/holds" && { ttlSeconds: 900 }),
    });
    // A person other than the proposed one may need longer.
    if (status === 409 && body.code === "slot_taken") return;
    assert.equal(status, 201, JSON.stringify(body));
    const visit = body.data as Visit;
    const price = segments.reduce((sum, { priceCents = 0 }) => sum + priceCents, 0);
    const isProposed = segments.every((one, i) => one.staffId === visit.segments?.[i]?.staffId);
    if (!isTable && isProposed) assert.equal(visit.totalCents, price * question.guests);
    this.#store(path, visit);
  }

  #store(route: string, visit: Visit): void {
    this.#visits.push({ id: visit.id, route });
    this.#occupy(visit);
  }

  #occupy(visit: Visit): void {
    if (visit.tableId)
      this.business.seated.push({
        visit: visit.id,
        table: visit.tableId,
        from: minuteOf(visit.startsAt),
        to: minuteOf(visit.endsAt),
      });
    for (const segment of visit.segments ?? [])
      this.business.occupied.push({
        visit: visit.id,
        service: segment.serviceId,
        staff: segment.staffId,
        guests: visit.guests,
        from: minuteOf(segment.startsAt),
        to: minuteOf(segment.endsAt),
      });
  }

  #free(id: string): void {
    this.business.occupied = this.business.occupied.filter(({ visit }) => visit !== id);
    this.business.seated = this.business.seated.filter(({ visit }) => visit !== id);
  }

  async #cancel(): Promise<void> {
    const visit = this.#place.draw.pick(this.#visits);
    if (!visit) return;
    const { route, id } = visit;
    const { status } =
      route === "/holds"
        ? await this.#send("DELETE", `/holds/${id}`)
        : await this.#send("POST", `${route}/${id}/cancel`, {});
    assert.equal(status, route === "/holds" ? 204 : 200);
    this.#free(id);
    this.#visits = this.#visits.filter((one) => one !== visit);
  }

  /** Moves a visit by some minutes, which may be refused. */
  async #move(): Promise<void> {
    const { draw } = this.#place;
    const visit = draw.pick(this.#visits.filter(({ route }) => route !== "/holds"));
    if (!visit) return;
    const { startsAt } = await this.#get<Visit>(`${visit.route}/${visit.id}`);
    const start = minuteOf(startsAt) + draw.pick([-60, -30, 15, 30, 60, 1440]);
    const path = `${visit.route}/${visit.id}/reschedule`;
    const { status, body } = await this.#send("POST", path, {
      startsAt: this.business.zone.format(start),
    });
    if (status !== 200) return assert.equal(body.code, "slot_taken");
    this.#free(visit.id);
    this.#occupy(body.data as Visit);
  }

  async #run(line: string): Promise<void> {
    const { code, stderr } = await this.#deskbell(line);
    assert.equal(code, 0, stderr);
  }
}
