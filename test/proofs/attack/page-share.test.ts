import { expect, test } from "vitest";
import type { Booking } from "../../../src/domain/bookings/booking.ts";
import type { Db } from "../../../src/store/database/db.ts";
import { createSeededRandom, type SeededRandom } from "../../../src/domain/seeded-random.ts";
import {
  businessOf,
  createVisitor,
  findAll,
  listMade,
  openPage,
} from "../../features/page-bookings/open-page.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { patient } from "../../support/patience.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { largestShare, listCapacities, listFreeTime } from "../support/free-time.ts";

// Strangers with many addresses and a mailbox for each visit book as much as the booking page
// takes. Nobody can confirm a mailbox without mail, so every visit that the business has not
// accepted counts.

type Mode = "REQUEST" | "CONFIRM";

const ADDRESSES = chooseScale([20], [1, 20, 200], [1, 20]);
const MODES = chooseScale<Mode[]>(["CONFIRM"], ["REQUEST", "CONFIRM"]);
const SEED = chooseSeed(31);
const HONEST = chooseScale(3, 50, 10);
/** The tries of all addresses together. */
const TRIES = chooseScale(16, 400, 120);
/** An address can make ten visits a day. */
const MAX_TRIES_OF_ADDRESS = 12;
const CONTROL_ADDRESSES = 100;

function open(mode: Mode) {
  const opened = openPage("salon", mode, { trustedProxies: ["127.0.0.0/8", "::1/128"] });
  const { api } = opened;
  const { slug } = businessOf(api);
  // What the proof reads must not use up the requests of a default key.
  const { secret: key } = api.createKey({
    name: "observer",
    limitMinute: 1_000_000,
    limitHour: 1_000_000,
  });
  const read = async <T>(path: string): Promise<T> => {
    const response = await api.request(`/v1/businesses/${slug}${path}`, { key });
    return ((await response.json()) as { data: T }).data;
  };
  return { ...opened, read };
}

type Shop = ReturnType<typeof open>;

const addressOf = (n: number, network: number): string => `10.${network}.${n >> 8}.${n & 255}`;

/** What became of a visitor: a visit, the telephone number, or a time that was taken meanwhile. */
type Outcome = "booked" | "telephone" | "taken";

/** Books a random time of a random service, as a browser without scripts does. */
async function book(
  { api, base, read }: Shop,
  random: SeededRandom,
  address: string,
  email: string,
): Promise<Outcome> {
  const visitor = createVisitor(api, address);
  const services = await read<{ id: string; bookable: boolean }[]>("/services");
  const service = random.pick(services.filter(({ bookable }) => bookable)).id;
  const { html, action, times } = await visitor.openTimes(`${base}?service=${service}&staff=any`);
  if (html.includes('href="tel:') && times.length === 0) return "telephone";
  if (times.length === 0) return "taken";
  const response = await visitor.post(action, { at: random.pick(times) });
  const url = response.headers.get("location") ?? "";
  if (response.status === 429) return "telephone";
  if (!url.includes("key=")) return "taken";
  const details = await visitor.get(url);
  const [total = ""] = findAll(details, /name="total" value="(\d+)"/g);
  const booked = await visitor.book(url, { email, total });
  if (booked.status === 429) {
    expect(await booked.text()).toContain('href="tel:');
    return "telephone";
  }
  return booked.status === 303 ? "booked" : "taken";
}

async function attack(shop: Shop, random: SeededRandom, addresses: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const tries = Math.min(TRIES, MAX_TRIES_OF_ADDRESS * addresses);
  for (let n = 0; n < tries; n += 1)
    outcomes.push(
      await book(shop, random, addressOf(n % addresses, 1), `mailbox${n}@evil.example`),
    );
  return outcomes;
}

/** Returns the largest share of a week that the visits and open holds of the page take. */
async function run(shop: Shop, addresses: number) {
  const { api, read } = shop;
  const random = createSeededRandom(SEED);
  const free = await listFreeTime(read, api.now());
  const capacities = await listCapacities(read);
  const tried = await attack(shop, random, addresses);
  const made = listMade(api) as Booking[];
  const held = api.store.holds.listOverlapping(businessOf(api).id, api.now(), 0, Infinity);
  const segments = [...made, ...held].flatMap((visit) => visit.segments);
  const share = largestShare(segments, free, capacities, api.now());
  return { share, tried, random };
}

const count = (outcomes: readonly Outcome[], wanted: Outcome): number =>
  outcomes.filter((one) => one === wanted).length;

const createConfirmation = (db: Db) => db.prepare("UPDATE page_visit SET unconfirmed = 0");

/** Returns a page with a bug: it takes every visit for one whose guest has confirmed a mailbox. */
const withoutMailboxes = (shop: Shop): Shop => ({
  ...shop,
  read: (path) => {
    shop.api.openStore(createConfirmation).run();
    return shop.read(path);
  },
});

test.each(MODES.flatMap((mode) => ADDRESSES.map((addresses) => [addresses, mode] as const)))(
  "strangers with %i addresses take at most a tenth of a week by %s, and others see the telephone number",
  { timeout: patient(1_800_000) },
  async (addresses, mode) => {
    const shop = open(mode);
    const { share, tried, random } = await run(shop, addresses);
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(0.1);
    expect(count(tried, "telephone")).toBeGreaterThan(0);

    const honest: Outcome[] = [];
    for (let n = 0; n < HONEST; n += 1)
      honest.push(await book(shop, random, addressOf(n, 2), `guest${n}@example.com`));
    expect(count(honest, "taken")).toBe(0);

    if (!isRecording()) return;
    const control = await run(withoutMailboxes(open("CONFIRM")), CONTROL_ADDRESSES);
    recordClaim({
      group: "attack",
      claim: `Strangers with ${addresses} ${addresses === 1 ? "address" : "addresses"} take at most a tenth of a week's free time on a booking page that ${mode === "REQUEST" ? "takes requests" : "confirms at once"}`,
      done: `They tried to book ${tried.length} visits of a page without mail, each with a mailbox of its own. Then ${HONEST} others tried once.`,
      figure: `They took ${(share * 100).toFixed(1)} % of the free time of a week with ${count(tried, "booked")} visits. ${count(honest, "booked")} of the ${HONEST} others booked, and the page showed the telephone number to ${count(honest, "telephone")}.`,
      control: {
        done: `The same was done by strangers with ${CONTROL_ADDRESSES} addresses at a page that takes every mailbox for confirmed.`,
        figure: `They took ${(control.share * 100).toFixed(1)} % of the free time of a week.`,
        hasFailed: control.share > 0.1,
      },
      seed: SEED,
    });
  },
);
