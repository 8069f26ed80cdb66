import { expect, onTestFinished, type TestContext } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { TEXTS } from "../../../src/features/desk/browser/texts.ts";
import { startServer } from "../../../src/http/server.ts";
import { choosePageLanguage } from "../../../src/pages/languages.ts";
import { ROOT_ID } from "../../../src/pages/root.ts";
import type { Page, PageOptions } from "../../support/browser.ts";
import { drive } from "../../support/page-driver.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { businessOf, createLink } from "./open-desk.ts";

export const SLUG = "salon";
const catalogWith = (dishes: readonly string[]): string => `
catalog: 1
business: { slug: ${SLUG}, name: Salon Aurora, timezone: Etc/UTC, currency: EUR }
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services:
  - { key: sauna, name: Sauna, durationMin: 60, price: 20.00, capacity: 20, staff: [] }
  - { key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia, leo] }
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }]
tables: [{ key: t1, minSeats: 1, maxSeats: 4 }]
menu:
  items:
    - { key: soup, name: Soup of the day, price: 8.00 }
${dishes.map((name, i) => `    - { key: dish-${i}, name: ${name}, price: 9.00 }`).join("\n")}
events:
  - key: gala
    name: Gala
    slug: gala
    status: PUBLISHED
    startsAt: 2026-12-01T20:00
    durationMin: 120
    ticketTypes: [{ key: seat, name: Seat, kind: FREE }]
    quotas: [{ key: hall, size: 100, ticketTypes: [seat] }]
`;

type Options = PageOptions & {
  /** Returns the URL at which the phone reaches the server, such as that of a proxy. */
  connect?: (serverUrl: string) => Promise<string>;
  /** Names of dishes that are added to the one of the menu. */
  dishes?: readonly string[];
  /** Changes the data before the page is opened. */
  prepare?: (rt: Runtime) => void;
};

/** Serves the desk of Tuesday, 2026-12-01, at ten, and pairs a browser with it. */
export async function openDeskPage(
  test: Pick<TestContext, "skip">,
  openPage: (test: Pick<TestContext, "skip">, url: string, options: PageOptions) => Promise<Page>,
  { connect = async (url) => url, dishes = [], prepare = () => {}, ...options }: Options = {},
) {
  const rt = createTestRuntime({}, Date.parse("2026-12-01T10:00Z"));
  applyCatalog(rt, [{ name: "salon.yaml", text: catalogWith(dishes) }]);
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const start = new Date(rt.now() + 2 * 3_600_000).toISOString();
  const pending = createBooking(
    rt,
    SLUG,
    {
      service: "cut",
      staff: "mia",
      start: `${start.slice(0, 16)}:00Z`,
      customer: { name: "Ana Silva", phone: "+351 910 000 000", notes: "window seat" },
    },
    { ignoresNotice: true },
  );
  const booking = rt.store.bookings.findById(businessOf(rt).id, pending.id)!;
  rt.tx(() =>
    rt.store.bookings.update({ ...booking, status: "PENDING", decideBy: booking.startsAt }),
  );
  prepare(rt);
  const url = `${await connect(server.url)}/b/${SLUG}/desk`;
  const page = await openPage(test, `${url}/pair/${createLink(rt)}`, { width: 360, ...options });
  const reader = drive(page);
  const texts = TEXTS[choosePageLanguage(options.language, [])];
  await reader.click(texts.pairButton);
  await reader.waitForText(texts.toDecide);
  if (options.scripts !== false) await waitForScript(page);
  const statusOf = () => rt.store.bookings.findById(businessOf(rt).id, pending.id)?.status;
  return { rt, server, url, page, reader, pending, statusOf };
}

/**
 * Waits until the script has taken over the page. Preact then adds the property `__k` to the root.
 */
async function waitForScript(page: Page): Promise<void> {
  const isTaken = async (id: string) => {
    const { document } = globalThis as unknown as {
      document: { getElementById: (id: string) => object | null };
    };
    return "__k" in (document.getElementById(id) ?? {});
  };
  await expect.poll(() => page.run(isTaken, ROOT_ID)).toBe(true);
}

/** Opens every part of the page that a reader can open. */
export async function openAll(): Promise<void> {
  const { document } = globalThis as unknown as {
    document: { querySelectorAll: (selector: string) => Iterable<{ open: boolean }> };
  };
  for (const details of document.querySelectorAll("details")) details.open = true;
}
