import { setTimeout as sleep } from "node:timers/promises";
import { OutOfPatience, patient } from "../patience.ts";
import { SHOP_SLUG, shopId } from "../shop.ts";
import type { Span } from "./occupancy.ts";
import type { Visit } from "./shop.ts";

/** A booking, reservation, hold or ticket order, as the API and the terminal show it. */
export type Shown = {
  id: string;
  status: string;
  startsAt: string;
  expiresAt: string;
  segments: { serviceId: string; staffId: string | null; startsAt: string; priceCents: number }[];
  guests: number;
  tableId: string | null;
  endsAt: string;
  items: { quantity: number }[];
};

export type Reply = { code: string | null; shown: Shown | null; span: Span };

/** Where a client books: the HTTP API, or the terminal, which has no holds. */
export type Desk = {
  create: (visit: Visit, startsAt: string) => Promise<Reply>;
  order: (quantity: number) => Promise<Reply>;
  confirm: (orderId: string) => Promise<Reply>;
  reschedule: (id: string, startsAt: string) => Promise<Reply>;
  cancel: (id: string) => Promise<Reply>;
  /** Sets the price of a cut. */
  setPrice?: (cents: number) => Promise<Reply>;
  holds?: {
    create: (visit: Visit, startsAt: string) => Promise<Reply>;
    use: (holdId: string, isTable: boolean) => Promise<Reply>;
    release: (holdId: string) => Promise<Reply>;
  };
  /** Sends an earlier request again; throws unless the reply is the same. */
  repeat?: (which: number) => Promise<void>;
  /** The number of requests that can be repeated. */
  repeatable?: () => number;
};

/** A POST request and its reply, which a replay must repeat. */
type Sent = { path: string; body: string; key: string; reply: string };

const GROUPS: Record<string, string> = {
  bkg: "bookings",
  rsv: "reservations",
  tor: "ticket-orders",
};
const groupOf = (id: string): string => GROUPS[id.slice(0, 3)] ?? "";
const RETRY_MS = 5;
/** How long a request is repeated. The daemon is never down for so long after a kill. */
const GIVE_UP_MS = patient(60_000);
const HOLD_SECONDS = 30;

type HttpOptions = {
  name: string;
  secret: string;
  eventId: string;
  ticketTypeId: string;
  /** Returns the URL of the running daemon; waits while none runs. */
  url: () => Promise<string>;
};

/** Returns a desk that repeats each request, with its Idempotency-Key, until the daemon replies. */
export function createHttpDesk({ name, secret, url, ...sale }: HttpOptions): Desk {
  const sent: Sent[] = [];
  let count = 0;

  async function send(method: string, path: string, body: string | null, key: string) {
    for (const until = Date.now() + GIVE_UP_MS; Date.now() < until; await sleep(RETRY_MS))
      try {
        const response = await fetch(`${await url()}/v1/businesses/${SHOP_SLUG}/${path}`, {
          method,
          body,
          headers: {
            authorization: `Bearer ${secret}`,
            ...(body !== null && { "content-type": "application/json" }),
            ...(method === "POST" && { "idempotency-key": key }),
          },
        });
        const text = await response.text();
        if (response.status !== 503) return { response, text };
      } catch (error) {
        // The daemon was killed before or after it committed the change, so the request is sent
        // again.
        if (!(error instanceof TypeError)) throw error;
      }
    throw new OutOfPatience(`No reply to ${method} ${path}.`);
  }

  const describe = ({ response: { status, headers }, text }: Awaited<ReturnType<typeof send>>) =>
    [status, headers.get("location"), headers.get("etag"), text].join("\n");

  async function post(path: string, fields: object): Promise<Reply> {
    const [body, key] = [JSON.stringify(fields), `${name}-${(count += 1)}`];
    const sentAt = Date.now();
    const received = await send("POST", path, body, key);
    const span = { sentAt, doneAt: Date.now() };
    const json = JSON.parse(received.text) as { data: Shown; code: string };
    if (!received.response.ok) return { code: json.code, shown: null, span };
    sent.push({ path, body, key, reply: describe(received) });
    return { code: null, shown: json.data, span };
  }

  const fieldsOf = (visit: Visit, startsAt: string) =>
    "partySize" in visit
      ? { startsAt: `${startsAt}:00Z`, partySize: visit.partySize }
      : {
          startsAt: `${startsAt}:00Z`,
          guests: visit.guests,
          segments: visit.services.map((service, n) => ({
            serviceId: shopId("svc", service),
            staffId: n === 0 && visit.staff !== null ? shopId("stf", visit.staff) : null,
          })),
        };

  return {
    create: (visit, startsAt) =>
      post("partySize" in visit ? "reservations" : "bookings", fieldsOf(visit, startsAt)),
    order: (quantity) =>
      post("ticket-orders", {
        eventId: sale.eventId,
        items: [{ ticketTypeId: sale.ticketTypeId, quantity }],
      }),
    confirm: (id) => post(`ticket-orders/${id}/confirm`, { paymentRef: "paid" }),
    reschedule: (id, startsAt) =>
      post(`${groupOf(id)}/${id}/reschedule`, { startsAt: `${startsAt}:00Z` }),
    cancel: (id) => post(`${groupOf(id)}/${id}/cancel`, {}),
    holds: {
      create: (visit, startsAt) =>
        post("holds", { ...fieldsOf(visit, startsAt), ttlSeconds: HOLD_SECONDS }),
      use: (holdId, isTable) => post(isTable ? "reservations" : "bookings", { holdId }),
      async release(holdId) {
        const sentAt = Date.now();
        const { response, text } = await send("DELETE", `holds/${holdId}`, null, "");
        const span = { sentAt, doneAt: Date.now() };
        const code = response.ok ? null : (JSON.parse(text) as { code: string }).code;
        return { code, shown: null, span };
      },
    },
    async repeat(which) {
      const earlier = sent[which];
      if (earlier === undefined) return;
      const received = await send("POST", earlier.path, earlier.body, earlier.key);
      const isReplay = received.response.headers.get("idempotency-replayed") === "true";
      if (!isReplay || describe(received) !== earlier.reply)
        throw new Error(`${earlier.path} replied\n${describe(received)}\nnot\n${earlier.reply}`);
    },
    repeatable: () => sent.length,
  };
}

/** Returns the desk of the operator. @param run runs a command line and returns its output */
export function createTerminalDesk(
  run: (args: string[]) => Promise<{ stdout: string; stderr: string }>,
): Desk {
  async function command(...args: string[]): Promise<Reply> {
    const sentAt = Date.now();
    const { stdout, stderr } = await run([...args, "--json"]);
    const span = { sentAt, doneAt: Date.now() };
    if (stderr === "") {
      // `confirm` prints the order and its tickets.
      const { data } = JSON.parse(stdout) as { data: Shown & { order?: Shown } };
      return { code: null, shown: data.order ?? data, span };
    }
    return {
      code: (JSON.parse(stderr) as { error: { code: string } }).error.code,
      shown: null,
      span,
    };
  }
  return {
    create: (visit, startsAt) =>
      "partySize" in visit
        ? command("reservations", "create", "--party", `${visit.partySize}`, "--start", startsAt)
        : command(
            "bookings",
            "create",
            ...(visit.staff === null ? [] : ["--staff", `${visit.services[0]}:${visit.staff}`]),
            ...visit.services.flatMap((service) => ["--service", service]),
            "--guests",
            `${visit.guests}`,
            "--start",
            startsAt,
          ),
    order: (quantity) =>
      command("ticket-orders", "create", "--public-event", "gala", "--item", `seat*${quantity}`),
    confirm: (id) => command("ticket-orders", "confirm", id),
    reschedule: (id, startsAt) => command(groupOf(id), "reschedule", id, "--start", startsAt),
    cancel: (id) => command(groupOf(id), "cancel", id),
    setPrice: (cents) => command("services", "update", "cut", "--price", `${cents}`),
  };
}
