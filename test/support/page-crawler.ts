// Reads all pages of a business and its API at the same version, and compares what they say.

type Image = { url: string };
type Named = { id: string; name: string; description?: string | null; images: Image[] };
type Dish = Named & {
  priceCents: number;
  priceType: string;
  sizes: { name: string; priceCents: number }[];
  soldOut: boolean;
};
type Service = Named & {
  priceType: string;
  priceFromCents: number;
  variants: (Named & { priceCents: number })[];
};
type Event = Named & {
  slug: string;
  status: string;
  startsAt: string;
  ticketTypes: (Named & { kind: string; priceCents: number })[];
  availability: { state: string; remaining: number | null };
};
type Profile = { currency: string; currencyDigits: number; name: string; postalAddress: unknown };
type Node = { [name: string]: unknown };

export type Served = {
  get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  read: (path: string) => Promise<Record<string, unknown>>;
};

/** What was compared, and every difference as a sentence. */
export type Comparison = { objects: number; facts: number; differences: string[] };

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const decode = (html: string): string =>
  html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
const textOf = (html: string): string =>
  decode(html.replaceAll(/<[^>]+>/g, " ")).replaceAll(/\s+/g, " ");

/**
 * Returns the text of each object of a kind, by its ID. The text ends where the next object begins.
 */
function partsOf(html: string, prefix: string): Map<string, string> {
  const parts = html
    .split(new RegExp(`<(?:li id="(?=${prefix}_)|section[^>]* id="|footer )`))
    .slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('"');
      return [part.slice(0, end), textOf(part.slice(part.indexOf(">") + 1))];
    }),
  );
}

function graphIn(html: string): Node[] {
  const [, json = "{}"] = /<script type="application\/ld\+json">([^]*?)<\/script>/.exec(html) ?? [];
  return ((JSON.parse(json) as Node)["@graph"] ?? []) as Node[];
}

/** Returns all nodes of a graph, at any depth. */
function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(nodesIn)];
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export async function comparePages({ get, read }: Served): Promise<Comparison> {
  const found: Comparison = { objects: 0, facts: 0, differences: [] };
  const check = (what: string, isEqual: boolean): void => {
    found.facts += 1;
    if (!isEqual) found.differences.push(what);
  };
  const load = async (path: string) => (await get(path, { "accept-language": "en" })).text();
  /** Returns the HTML of all pages of a list; none if there is no such list. */
  const loadList = async (path: string): Promise<string[]> => {
    const pages: string[] = [];
    for (let page = 1; ; page++) {
      const response = await get(page === 1 ? path : `${path}?page=${page}`, {
        "accept-language": "en",
      });
      if (response.status !== 200) return pages;
      pages.push(await response.text());
    }
  };
  const dataOf = async <T>(path: string): Promise<T> => (await read(path))["data"] as T;

  const profile = await dataOf<Profile>("");
  const amounts = new Intl.NumberFormat("en", {
    style: "currency",
    currency: profile.currency,
    minimumFractionDigits: profile.currencyDigits,
    maximumFractionDigits: profile.currencyDigits,
  });
  const money = (cents: number): string =>
    oneLine(amounts.format(cents / 10 ** profile.currencyDigits));
  const decimal = (cents: number): number => cents / 10 ** profile.currencyDigits;

  const menu = await dataOf<{ items: Dish[] }>("/menu");
  const services = await dataOf<Service[]>("/services?includeVariants=true");
  const events = await dataOf<Event[]>("/events/catalog?includeCancelled=true");
  const markdown = oneLine((await load(".md")).replaceAll(/\\(.)/g, "$1"));
  const document = nodesIn(JSON.parse(await load(".jsonld")));

  const checkList = async (
    path: string,
    objects: readonly Named[],
    factsOf: (object: never) => string[],
    pricesOf: (object: never) => number[],
  ): Promise<void> => {
    const pages = await loadList(path);
    const prefix = objects[0]?.id.split("_", 1)[0] ?? "none";
    const parts = new Map(pages.flatMap((html) => [...partsOf(html, prefix)]));
    const nodes = [pages.flatMap(graphIn).flatMap(nodesIn), document];
    const shown = [...parts.keys()].filter((id) => objects.some((object) => object.id === id));
    check(
      `${path} shows ${shown.length} of ${objects.length} objects`,
      shown.length === objects.length,
    );
    const strange = [...parts.keys()].filter(
      (id) => id.startsWith(`${prefix}_`) && !shown.includes(id),
    );
    check(`${path} shows ${strange.join(", ")}, which the API does not`, strange.length === 0);
    for (const object of objects) {
      found.objects += 1;
      const text = parts.get(object.id) ?? "";
      for (const fact of [object.name, ...factsOf(object as never)])
        check(`${path}: ${object.id} lacks '${fact}'`, text.includes(oneLine(fact)));
      check(`.md lacks '${object.name}'`, markdown.includes(oneLine(object.name)));
      for (const [i, graph] of nodes.entries()) {
        const named = graph.filter(
          (node) => String(node["@id"]).includes(object.id) || node["@id"] === object.id,
        );
        const node = named.find(({ name }) => name === object.name);
        const where = i === 0 ? `JSON-LD of ${path}` : ".jsonld";
        if (prefix === "pev") continue;
        check(`${where} lacks ${object.id}`, node !== undefined);
        const offers = i === 0 ? pricesIn(graph, object.id) : pricesIn(document, object.id);
        for (const price of pricesOf(object as never))
          check(`${where}: ${object.id} lacks the price ${price}`, offers.includes(decimal(price)));
      }
    }
  };

  await checkList(
    "/menu",
    menu.items,
    (dish: Dish) => [
      ...(dish.description ? [dish.description] : []),
      ...(dish.sizes.length > 0
        ? dish.sizes.flatMap(({ name, priceCents }) => [name, money(priceCents)])
        : ["FIXED", "FROM"].includes(dish.priceType)
          ? [money(dish.priceCents)]
          : []),
      ...(dish.soldOut ? ["Sold out"] : []),
    ],
    ({ sizes, priceType, priceCents }: Dish) =>
      sizes.length > 0
        ? sizes.map((size) => size.priceCents)
        : priceType === "MARKET"
          ? []
          : [priceCents],
  );
  await checkList(
    "/services",
    services,
    (service: Service) => [
      ...(service.description ? [service.description] : []),
      ...(["FIXED", "FROM"].includes(service.priceType)
        ? [service.priceFromCents, ...service.variants.map(({ priceCents }) => priceCents)].map(
            money,
          )
        : []),
      ...service.variants.map(({ name }) => name),
    ],
    ({ priceType, priceFromCents }: Service) =>
      priceType === "ON_REQUEST" ? [] : [priceFromCents],
  );
  await checkList(
    "/events",
    events,
    () => [],
    () => [],
  );
  for (const event of events) {
    const html = await load(`/events/${event.slug}`);
    const text = textOf(html);
    for (const { name, kind, priceCents } of event.ticketTypes)
      for (const fact of [name, kind === "FREE" ? "Free" : money(priceCents)])
        check(`${event.slug} lacks '${fact}'`, text.includes(oneLine(fact)));
    const [node] = graphIn(html);
    check(
      `${event.slug}: the start is not ${event.startsAt}`,
      node?.["startDate"] === event.startsAt,
    );
    const status =
      { CANCELLED: "EventCancelled", POSTPONED: "EventPostponed" }[event.status] ??
      "EventScheduled";
    check(`${event.slug} is not ${status}`, String(node?.["eventStatus"]).endsWith(status));
    const { remaining, state } = event.availability;
    if (
      event.status === "PUBLISHED" &&
      remaining !== null &&
      ["ON_SALE", "FEW_LEFT"].includes(state)
    )
      check(`${event.slug} does not show ${remaining} left`, text.includes(`${remaining} left`));
    const offers = (node?.["offers"] ?? []) as Node[];
    check(
      `${event.slug}: the offers differ`,
      offers.map(({ price }) => Number(price)).join() ===
        event.ticketTypes.map(({ priceCents }) => decimal(priceCents)).join(),
    );
  }
  check(`the first page lacks '${profile.name}'`, textOf(await load("")).includes(profile.name));
  return found;
}

/**
 * Returns the prices that a graph states about an object: in its offers, or in the offer around it.
 */
function pricesIn(graph: readonly Node[], id: string): number[] {
  return graph.flatMap((node) => {
    const offered = (node["itemOffered"] ?? {}) as Node;
    if (String(offered["@id"]).endsWith(`#${id}`)) return priceIn(node);
    if (!String(node["@id"]).endsWith(`#${id}`)) return [];
    return ((node["offers"] ?? []) as Node[]).flatMap(priceIn);
  });
}

const priceIn = (offer: Node): number[] => {
  const { minPrice } = (offer["priceSpecification"] ?? {}) as Node;
  return [offer["price"], minPrice].flatMap((price) =>
    price === undefined ? [] : [Number(price)],
  );
};
