import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Draw } from "./documented-catalog.ts";
import { fetchAgain } from "./fetch-again.ts";
import { EVENT_TYPES, type Reply } from "./documented-mirror.ts";

type Terminal = (line: string) => Promise<{ code: number | null; stdout: string; stderr: string }>;
type Place = { deskbell: Terminal; folder: string; url: string; draw: Draw; slug: string };
type Item = { key: string; name: string; price?: string | number; status?: string };
type Ticketed = { id: string; ticketTypes: { id: string }[] };
/** The sections of a catalog file that are edited. */
type File = {
  business: { description?: string; timezone: string };
  menu?: { items?: Item[]; categories?: Item[]; modifierGroups?: Item[] };
} & Partial<
  Record<"services" | "addons" | "staff" | "serviceCategories" | "promotions" | "events", Item[]>
>;

/** A sample business that its owner edits with catalog files and commands. */
export class EditedBusiness {
  readonly #place: Place;
  #key = "";
  #file!: File;
  edits = 0;

  static async open(place: Place): Promise<EditedBusiness> {
    const business = new EditedBusiness(place);
    const limits = "--limit-minute 100000 --limit-hour 1000000";
    business.#key = (await business.#run(`keys create --secret --name mirror ${limits}`)).trim();
    await business.#export();
    return business;
  }

  private constructor(place: Place) {
    this.#place = place;
  }

  /** Sends a GET for a path of the business. */
  read = async (path: string, etag?: string): Promise<Reply> => {
    const { url, slug } = this.#place;
    const response = await fetchAgain(`${url}/v1/businesses/${slug}${path}`, {
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(etag !== undefined && { "if-none-match": etag }),
      },
    });
    const text = await response.text();
    assert.ok([200, 304].includes(response.status), `${path}: ${text}`);
    return {
      status: response.status,
      body: text === "" ? null : JSON.parse(text),
      etag: response.headers.get("etag") ?? "",
      sequence: Number(response.headers.get("x-service-sequence")),
    };
  };

  async subscribe(url: string): Promise<void> {
    const events = EVENT_TYPES.map((type) => `--event ${type}`).join(" ");
    await this.#run(`webhooks create --name mirror --url ${url} --allow-private ${events}`);
  }

  async #run(line: string): Promise<string> {
    const result = await this.#place.deskbell(`${line} --business ${this.#place.slug} --yes`);
    assert.equal(result.code, 0, `${line}: ${result.stderr}`);
    return result.stdout;
  }

  /** Runs a command that may be refused, for example because nothing would change. */
  async #try(line: string): Promise<boolean> {
    const { code } = await this.#place.deskbell(`${line} --business ${this.#place.slug} --yes`);
    return code === 0;
  }

  async #export(): Promise<void> {
    this.#file = JSON.parse(await this.#run("catalog export --format json"));
  }

  async edit(): Promise<void> {
    const { draw } = this.#place;
    if (draw.chance(55)) await this.#applyFile();
    else if (await this.#try(await this.#command())) this.edits++;
    await this.#export();
  }

  get #sections(): Item[][] {
    const { services, addons, staff, serviceCategories, promotions, events, menu } = this.#file;
    return [
      services,
      addons,
      staff,
      serviceCategories,
      promotions,
      events,
      menu?.items,
      menu?.categories,
      menu?.modifierGroups,
    ].flatMap((list) => (list && list.length > 0 ? [list] : []));
  }

  async #applyFile(): Promise<void> {
    const { draw, folder, slug } = this.#place;
    for (let edits = 1 + draw.int(3); edits > 0; edits--) this.#change();
    const path = join(folder, `${slug}.json`);
    writeFileSync(path, JSON.stringify(this.#file));
    // A random edit can break a reference: the file is then refused, and nothing changes.
    if (await this.#try(`catalog apply ${path} --prune --allow-mass-delete --cancel-affected`))
      this.edits++;
  }

  #change(): void {
    const { draw } = this.#place;
    const list = draw.pick(this.#sections);
    const index = draw.int(list.length);
    const item = list[index] as Item;
    const { business } = this.#file;
    const what = draw.int(9);
    if (what === 0) list.splice(index, 1);
    else if (what === 1) list.push(...list.splice(index, 1));
    else if (what === 2) list.unshift(...list.splice(index, 1));
    else if (what === 3) item.name = `Name ${draw.int(1000)}`;
    else if (what === 4 && item.price !== undefined) item.price = `${1 + draw.int(90)}`;
    else if (what === 5 && list !== this.#file.events)
      item.status = draw.pick(["active", "inactive", "archived"]);
    else if (what === 6) {
      const key = `copy-${draw.int(1_000_000)}`;
      const copy = { ...structuredClone(item), key, name: key, previousKeys: [] };
      if ("slug" in copy) copy.slug = key;
      if ("variants" in copy) copy.variants = [];
      list.splice(draw.int(list.length + 1), 0, copy);
    } else if (what === 7) business.description = `Text ${draw.int(1000)}`;
    else if (what === 8 && draw.chance(30))
      business.timezone = draw.pick(["Europe/Zurich", "Asia/Tokyo", "America/New_York"]);
  }

  async #command(): Promise<string> {
    const { draw } = this.#place;
    const { services = [], menu, promotions = [], events = [], staff = [] } = this.#file;
    const dishes = menu?.items ?? [];
    const price = `${1 + draw.int(80)}`;
    const commands = [
      ...(services.length > 0
        ? [
            `services update ${draw.pick(services).key} --price ${price} --all`,
            `services update ${draw.pick(services).key} --name Service-${draw.int(100)}`,
          ]
        : []),
      ...(dishes.length > 0
        ? [
            `menu sold-out ${draw.pick(dishes).key}`,
            `menu sold-out ${draw.pick(dishes).key} --undo`,
          ]
        : []),
      ...(promotions.length > 0
        ? [
            `promotions pause ${draw.pick(promotions).key}`,
            `promotions resume ${draw.pick(promotions).key}`,
          ]
        : []),
      ...(events.length > 0 ? [`public-events cancel ${draw.pick(events).key}`] : []),
      ...(staff.length > 0
        ? [
            `staff update ${draw.pick(staff).key} --public ${draw.pick(["yes", "no"])}`,
            `staff update ${draw.pick(staff).key} --title Title-${draw.int(100)}`,
          ]
        : []),
      `hours update --day mon --open 1${draw.int(4)}:00-18:00`,
      `closures create --date 2027-0${1 + draw.int(9)}-1${draw.int(10)}`,
      "catalog undo",
      await this.#order(),
    ];
    return draw.pick(commands.filter((command) => command !== ""));
  }

  /**
   * Returns a command that sells a ticket, which changes how many are left; "" if there is none.
   */
  async #order(): Promise<string> {
    const { body } = await this.read("/events/catalog");
    const { draw } = this.#place;
    const event = draw.pick(body.data as Ticketed[]);
    const type = event && draw.pick(event.ticketTypes);
    return type ? `ticket-orders create --public-event ${event.id} --item ${type.id}` : "";
  }
}
