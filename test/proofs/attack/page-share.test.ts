import { expect, test } from "vitest";
import { findCustomer } from "../../../src/app/bookings/guests.ts";
import type { Booking } from "../../../src/domain/bookings/booking.ts";
import type { Db } from "../../../src/store/database/db.ts";
import { createSeededRandom, type SeededRandom } from "../../../src/domain/seeded-random.ts";
import { addDays } from "../../../src/domain/local-time.ts";
import { openMails } from "../../features/guest-mail/open-mails.ts";
import {
  businessOf,
  createVisitor,
  findAll,
  listMade,
  openPage,
} from "../../features/page-bookings/open-page.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { partOf } from "../../support/mail-server.ts";
import { patient } from "../../support/patience.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { largestShare, listCapacities, listFreeTime } from "../support/free-time.ts";

// Strangers with many addresses, and a mailbox for each visit, book as much as the booking page
// accepts. A page that sends no mails cannot confirm a mailbox, so every visit that the business
// has not accepted counts as unconfirmed. If the page sends mails, the strangers confirm every
// mailbox of two domains of their own.

type Mode = "REQUEST" | "CONFIRM";

const ADDRESSES = chooseScale([20], [1, 20, 200], [1, 20]);
const MODES = chooseScale<Mode[]>(["CONFIRM"], ["REQUEST", "CONFIRM"]);
const SEED = chooseSeed(31);
const HONEST = chooseScale(3, 50, 10);
/** How often all addresses together try to book. */
const TRIES = chooseScale(16, 400, 80);
/**
 * How often all addresses together try to book if the page sends mails. Some tries use mailboxes
 * that the strangers cannot confirm.
 */
const TRIES_WITH_MAIL = chooseScale(40, 400, 80);
/**
 * The maximum tries of each address: two more than the ten visits that an address can make in a
 * day.
 */
const MAX_TRIES_OF_ADDRESS = 12;
const CONTROL_ADDRESSES = 100;
const PROVIDERS = ["gmail.com", "gmx.de", "outlook.com", "qq.com", "seznam.cz", "web.de"];
const OWN_DOMAINS = ["evil.example", "wicked.example"];

/** Adds an API client to a page. The client reads what the proof measures. */
function observe<Page extends ReturnType<typeof openPage>>(opened: Page) {
  const { api } = opened;
  const { slug } = businessOf(api);
  // The proof reads with a key without low limits, because its requests would use up those of a
  // default key.
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

const open = (mode: Mode) =>
  observe(openPage("salon", mode, { trustedProxies: ["127.0.0.0/8", "::1/128"] }));

const openWithMail = async (mode: Mode) => {
  const mails = await openMails(mode, "salon");
  return { ...observe({ ...mails, visitor: createVisitor(mails.api) }), mails };
};

type Shop = ReturnType<typeof open>;
type ShopWithMail = Awaited<ReturnType<typeof openWithMail>>;

const addressOf = (n: number, network: number): string => `10.${network}.${n >> 8}.${n & 255}`;

/**
 * The result of a visitor's try: a visit, a mail that asks the visitor to confirm one, the
 * telephone number, a time that was taken meanwhile, or a time that is only held.
 */
type Outcome = "booked" | "asked" | "telephone" | "taken" | "held";

type Wanted = { address: string; email: string; onlyHolds?: boolean };

/** Books a random time of a random service and day, as a browser without scripts does. */
async function book(
  { api, base, read }: Shop,
  random: SeededRandom,
  { address, email, onlyHolds = false }: Wanted,
): Promise<Outcome> {
  const visitor = createVisitor(api, address);
  const services = await read<{ id: string; bookable: boolean }[]>("/services");
  const service = random.pick(services.filter(({ bookable }) => bookable)).id;
  const today = new Date(api.now()).toISOString().slice(0, 10);
  const url = `${base}?service=${service}&staff=any`;
  // The page chooses the first free day if the wanted one has no free time.
  const wanted = await visitor.openTimes(`${url}&date=${addDays(today, random.integer(1, 7))}`);
  const { html, action, times } = wanted.times.length > 0 ? wanted : await visitor.openTimes(url);
  if (times.length === 0) return html.includes('href="tel:') ? "telephone" : "taken";
  const response = await visitor.post(action, { at: random.pick(times) });
  const details = response.headers.get("location") ?? "";
  if (response.status === 429) return "telephone";
  if (details.includes("full=")) {
    expect(await visitor.get(details)).toContain('href="tel:');
    return "telephone";
  }
  if (!details.includes("key=")) return "taken";
  if (onlyHolds) return "held";
  const [total = ""] = findAll(await visitor.get(details), /name="total" value="(\d+)"/g);
  const booked = await visitor.book(details, { email, total });
  if (booked.status === 429) {
    expect(await booked.text()).toContain('href="tel:');
    return "telephone";
  }
  if (booked.status === 202) return "asked";
  return booked.status === 303 ? "booked" : "taken";
}

async function attack(shop: Shop, random: SeededRandom, addresses: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const tries = Math.min(TRIES, MAX_TRIES_OF_ADDRESS * addresses);
  for (let n = 0; n < tries; n += 1) {
    const address = addressOf(n % addresses, 1);
    outcomes.push(await book(shop, random, { address, email: `mailbox${n}@evil.example` }));
  }
  return outcomes;
}

const HONEST_NAME = "guest";
const isHonest = ({ api }: Shop, id: string): boolean =>
  findCustomer(api, id)?.email?.startsWith(HONEST_NAME) === true;

/** Returns a function that measures which share of a week strangers take by visits and holds. */
async function createMeter(shop: Shop) {
  const { api, read } = shop;
  const free = await listFreeTime(read, api.now());
  const capacities = await listCapacities(read);
  const start = api.now();
  return (): number => {
    const made = (listMade(api) as Booking[]).filter(({ status }) => status !== "CANCELLED");
    const held = api.store.holds.listOverlapping(businessOf(api).id, api.now(), 0, Infinity);
    const segments = [...made, ...held]
      .filter(({ id }) => !isHonest(shop, id))
      .flatMap((visit) => visit.segments);
    return largestShare(segments, free, capacities, start);
  };
}

async function run(shop: Shop, addresses: number) {
  const random = createSeededRandom(SEED);
  const measure = await createMeter(shop);
  const tried = await attack(shop, random, addresses);
  return { share: measure(), tried, random };
}

/**
 * Opens the link in the newest mail to an address, and presses the button that confirms the visit.
 */
async function confirm({ api, mails }: ShopWithMail, email: string): Promise<boolean> {
  await mails.send();
  const mail = mails.server.mails.findLast(({ to }) => to.includes(email));
  const [link] = /\/b\/[^/]+\/v\/deskbell_gv_\w+/.exec(partOf(mail?.raw ?? "", "text/plain")) ?? [];
  if (link === undefined) return false;
  const guest = createVisitor(api);
  await guest.get(link);
  const { status } = await guest.post(`${link}/confirm`);
  if (status === 429) return false;
  expect(status).toBe(303);
  return (await guest.send(link)).status === 200;
}

/** Books a visit, and confirms the mailbox if a mail asks for that. */
async function bookAndConfirm(
  shop: ShopWithMail,
  random: SeededRandom,
  wanted: Wanted,
): Promise<Outcome> {
  const outcome = await book(shop, random, wanted);
  if (outcome !== "asked") return outcome;
  return (await confirm(shop, wanted.email)) ? "booked" : "telephone";
}

const KINDS_OF_TRIES = 4;

/**
 * Lets strangers try to take as much as they can, and honest visitors book in between. Strangers
 * book, hold without booking, and give mailboxes that are not theirs.
 */
async function runWithMail(shop: ShopWithMail, addresses: number) {
  const random = createSeededRandom(SEED);
  const measure = await createMeter(shop);
  const tries = Math.min(TRIES_WITH_MAIL, MAX_TRIES_OF_ADDRESS * addresses);
  const honest: Outcome[] = [];
  const shares: number[] = [];
  for (let n = 0; n < tries; n += 1) {
    const kind = n % KINDS_OF_TRIES;
    const [address, own] = [addressOf(n % addresses, 1), OWN_DOMAINS[kind]];
    const email = `mailbox${n}@${own ?? "gmail.com"}`;
    const wanted = { address, email, onlyHolds: kind === KINDS_OF_TRIES - 1 };
    await (own === undefined ? book(shop, random, wanted) : bookAndConfirm(shop, random, wanted));
    shares.push(measure());
    // Honest visitors come only in the second half of the strangers' tries.
    while (honest.length < HONEST * Math.max(0, (2 * (n + 1)) / tries - 1)) {
      const guest = honest.length;
      const from = { address: addressOf(guest, 2), email: emailOf(guest) };
      honest.push(await bookAndConfirm(shop, random, from));
    }
  }
  return { share: Math.max(...shares), tries, honest };
}

const emailOf = (guest: number): string =>
  `${HONEST_NAME}${guest}@${PROVIDERS[guest % PROVIDERS.length]}`;

const count = (outcomes: readonly Outcome[], wanted: Outcome): number =>
  outcomes.filter((one) => one === wanted).length;

const createConfirmation = (db: Db) => db.prepare("UPDATE page_visit SET has_mailbox = 1");

/** Returns a page with a bug: it treats every mailbox as a confirmed one at a mail provider. */
const withoutMailboxes = <Page extends Shop>(shop: Page): Page => ({
  ...shop,
  read: (path: string) => {
    shop.api.openStore(createConfirmation).run();
    return shop.read(path);
  },
});

const CASES = MODES.flatMap((mode) => ADDRESSES.map((addresses) => [addresses, mode] as const));

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const nameOf = (addresses: number): string =>
  `${addresses} ${addresses === 1 ? "address" : "addresses"}`;
const ofMode = (mode: Mode): string => (mode === "REQUEST" ? "takes requests" : "confirms at once");

/**
 * The shares that strangers take of pages with the bug, by kind of case. All cases of a kind share
 * one control run.
 */
const controls = new Map<string, Promise<number>>();

function control(kind: string, run: () => Promise<{ share: number }>): Promise<number> {
  const share = controls.get(kind) ?? run().then((measured) => measured.share);
  controls.set(kind, share);
  return share;
}

test.each(CASES)(
  "strangers with %i addresses take at most a tenth of the free time of a week on a page with booking %s, and others see the telephone number",
  { timeout: patient(1_800_000) },
  async (addresses, mode) => {
    const shop = open(mode);
    const { share, tried, random } = await run(shop, addresses);
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(0.1);
    expect(count(tried, "telephone")).toBeGreaterThan(0);

    const honest: Outcome[] = [];
    for (let n = 0; n < HONEST; n += 1)
      honest.push(
        await book(shop, random, { address: addressOf(n, 2), email: `guest${n}@example.com` }),
      );
    expect(count(honest, "taken")).toBe(0);

    if (!isRecording()) return;
    const faulty = await control("without mail", () =>
      run(withoutMailboxes(open("CONFIRM")), CONTROL_ADDRESSES),
    );
    recordClaim({
      group: "attack",
      claim: `Strangers with ${nameOf(addresses)} take at most a tenth of a week's free time on a booking page that ${ofMode(mode)}`,
      done: `They tried to book ${tried.length} visits of a page without mail, each with a mailbox of its own. Then ${HONEST} others tried once.`,
      figure: `They took ${percent(share)} of the free time of a week with ${count(tried, "booked")} visits. ${count(honest, "booked")} of the ${HONEST} others booked, and the page showed the telephone number to ${count(honest, "telephone")}.`,
      control: {
        done: `The same was done by strangers with ${CONTROL_ADDRESSES} addresses at a page that takes every mailbox for confirmed.`,
        figure: `They took ${percent(faulty)} of the free time of a week.`,
        hasFailed: faulty > 0.1,
      },
      seed: SEED,
    });
  },
);

test.each(CASES)(
  "strangers with %i addresses take at most a tenth of the free time of a week on a page with booking %s and mail, and every guest with a mailbox at a provider books",
  { timeout: patient(1_800_000) },
  async (addresses, mode) => {
    const { share, tries, honest } = await runWithMail(await openWithMail(mode), addresses);
    expect(share).toBeGreaterThan(0);
    expect({ share: share <= 0.1 ? "a tenth" : share, honest }).toEqual({
      share: "a tenth",
      honest: Array.from({ length: HONEST }, () => "booked"),
    });

    if (!isRecording()) return;
    const faulty = await control(mode, async () =>
      runWithMail(withoutMailboxes(await openWithMail(mode)), CONTROL_ADDRESSES),
    );
    recordClaim({
      group: "attack",
      claim: `Strangers with ${nameOf(addresses)} and two mail domains take at most a tenth of a week's free time on a booking page with mail that ${ofMode(mode)}, while everybody with a mailbox at a provider books`,
      done: `They tried ${tries} times to book, to hold without booking, and to keep times by mails to others, and confirmed every mail to their own domains. Meanwhile ${HONEST} others tried once, and confirmed the mail if one came.`,
      figure: `They took at most ${percent(share)} of the free time of a week at once. ${count(honest, "booked")} of the ${HONEST} others booked.`,
      control: {
        done: `The same was done by strangers with ${CONTROL_ADDRESSES} addresses at a page that takes every mailbox for one at a provider.`,
        figure: `They took ${percent(faulty)} of the free time of a week.`,
        hasFailed: faulty > 0.1,
      },
      seed: SEED,
    });
  },
);
