import { expect, onTestFinished, test, type TestContext } from "vitest";
import { startServer } from "../../../../src/http/server.ts";
import type { TicketTypeDoc } from "../../../../src/domain/catalog/catalog.ts";
import { objectId } from "../../../../src/domain/catalog/object-id.ts";
import { confirmTicketOrder } from "../../../../src/features/tickets/orders/orders.ts";
import { createOrderStore } from "../../../../src/features/tickets/store.ts";
import { checkInTicket } from "../../../../src/features/tickets/tickets.ts";
import type { Preset } from "../../../../src/platform/assets.ts";
import { applyPreset } from "../../../http/support/api.ts";
import { useBrowser } from "../../../support/browser.ts";
import { drive } from "../../../support/page-driver.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { businessOf, listMade, publish } from "../open-page.ts";

const openBrowser = useBrowser();
const FLOW_MS = 120_000;

// The functions below run in the browser.

type Element = { click: () => void; innerText: string };
declare const document: {
  querySelector: (selector: string) => Element | null;
  querySelectorAll: (selector: string) => Iterable<Element>;
};
declare const history: { back: () => void };
declare const location: { reload: () => void; pathname: string; href: string };

const press = async (selector: string): Promise<boolean> => {
  const element = document.querySelector(selector);
  element?.click();
  return element !== null;
};
const pressLabel = async (text: string): Promise<boolean> => {
  const label = [...document.querySelectorAll("label")].find(({ innerText }) =>
    innerText.includes(text),
  );
  label?.click();
  return label !== undefined;
};
const pressLastTime = async (): Promise<boolean> => {
  const last = [...document.querySelectorAll(".slots button")].at(-1);
  last?.click();
  return last !== undefined;
};
/** Presses a button twice before the browser leaves the page. */
const pressTwice = async (selector: string): Promise<void> => {
  for (let i = 0; i < 2; i++) document.querySelector(selector)?.click();
};
const goBack = async (): Promise<void> => history.back();
const reload = async (): Promise<void> => location.reload();
const readPath = async (): Promise<string> => location.pathname;

const readUrl = async (): Promise<string> => location.href;

/** Returns a function that tells whether a ticket type is on sale at `now`. */
const isOnSaleNow =
  (now: number) =>
  ({ status, salesStartAt, salesEndAt }: TicketTypeDoc): boolean =>
    status === "ACTIVE" && (salesStartAt ?? 0) <= now && now < (salesEndAt ?? Infinity);

const SUBMIT = "form.details button.primary";

/** Opens the booking page of a sample business at the real time, on a narrow phone. */
async function openFlow(t: TestContext, preset: Preset, scripts: boolean, host = "127.0.0.1") {
  const rt = createTestRuntime({}, Date.now());
  applyPreset(rt, preset);
  publish(rt, preset === "restaurant" ? "REQUEST" : "CONFIRM");
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const url = `http://${host}:${server.port}/b/${businessOf(rt).slug}/book`;
  const page = await openBrowser(t, url, { width: 320, height: 700, scripts });
  const reader = drive(page);
  const once = async (run: () => Promise<boolean>) => {
    await expect.poll(run).toBe(true);
  };
  return {
    rt,
    page,
    ...reader,
    press: (selector: string) => once(() => page.run(press, selector)),
    choose: (text: string) => once(() => page.run(pressLabel, text)),
    pressLastTime: () => once(() => page.run(pressLastTime)),
    /**
     * Waits for a step, and checks what must hold in every step: accessibility, a page that fits
     * the width, and no errors.
     */
    async arrive(text: string): Promise<void> {
      await reader.waitForText(text);
      expect(await reader.findViolations()).toEqual([]);
      expect(await reader.measureOverflow()).toBe(0);
      expect(page.errors).toEqual([]);
    },
  };
}

type Flow = Awaited<ReturnType<typeof openFlow>>;

/** Reloads the details, fills them in, and sends them twice; then goes back and forth. */
async function finish({ page, fill, arrive, waitForText }: Flow, title: string) {
  await page.run(reload);
  await arrive("Your details");
  await fill("Name", "Ana García");
  await fill("Email", "ana@example.com");
  await page.run(pressTwice, SUBMIT);
  await arrive(title);
  const path = await page.run(readPath);
  expect(path).toMatch(/\/v\/deskbell_gv_/);
  await page.run(reload);
  await waitForText(title);
  // The page of the details leads to the visit that its form has made, and so does the form itself.
  await page.run(goBack);
  const sendAgain = async (): Promise<string> => {
    await page.run(press, SUBMIT);
    return page.run(readPath);
  };
  await expect.poll(sendAgain).toBe(path);
}

for (const scripts of [true, false]) {
  const how = scripts ? "with scripts" : "without scripts";

  test(`a guest books a cut by a named stylist ${how}`, { timeout: FLOW_MS }, async (t) => {
    const flow = await openFlow(t, "salon", scripts);
    const { rt, arrive, click, choose, pressLastTime, press: pressOne, waitForText } = flow;
    await arrive("Book");
    await click("Cut & blow-dry");
    await arrive("With whom?");
    for (const text of ["Medium hair", "scalp massage", "Daniel Reyes"]) await choose(text);
    await click("Show free times");
    await arrive("Free times on");
    await pressOne(".months a:last-of-type");
    await arrive("Free times on");
    await pressLastTime();
    await arrive("We keep this time for you");
    await finish(flow, "You are booked");
    expect(listMade(rt)).toMatchObject([
      {
        status: "CONFIRMED",
        segments: [
          { variantName: "Medium hair", staffName: "Daniel Reyes", addons: [{ quantity: 1 }] },
        ],
      },
    ]);
    await pressOne(".cancel summary");
    await click("Yes, cancel");
    await waitForText("Cancelled");
    expect(listMade(rt)).toMatchObject([{ status: "CANCELLED", cancelledBy: "GUEST" }]);
  });

  test(`a guest asks for a table for four ${how}`, { timeout: FLOW_MS }, async (t) => {
    const flow = await openFlow(t, "restaurant", scripts);
    const { rt, arrive, click, fill, pressLastTime } = flow;
    // The restaurant offers nothing else, so the first question is that of a table.
    await arrive("How many people?");
    await fill("How many people?", "4");
    await click("Show free times");
    await arrive("Free times on");
    await pressLastTime();
    await arrive("Your details");
    await finish(flow, "Request received");
    expect(listMade(rt)).toMatchObject([{ status: "PENDING", partySize: 4 }]);
  });

  test(`a guest orders two kinds of tickets ${how}`, { timeout: FLOW_MS }, async (t) => {
    const flow = await openFlow(t, "venue", scripts);
    const { rt, page, arrive, click, fill } = flow;
    const business = businessOf(rt);
    const event = rt.store.catalog
      .listByKind(business.id, "public_event")
      .find(({ ticketTypes }) => ticketTypes.filter(isOnSaleNow(rt.now())).length > 1)!;
    const [one, other] = event.ticketTypes.filter(isOnSaleNow(rt.now()));
    const id = objectId("public_event", business.slug, event);
    await page.open(`${(await page.run(readUrl)).split("?")[0]}?event=${id}`);
    await arrive("How many tickets?");
    await fill(one!.name, String(one!.minPerOrder));
    await fill(other!.name, String(other!.minPerOrder));
    await click("Continue");
    await arrive("Your details");
    await finish(flow, "Tickets reserved");
    const orders = rt.openStore(createOrderStore).list({ businessId: business.id }, 10);
    expect(orders).toMatchObject([{ status: "PENDING" }]);
    expect(orders[0]?.items).toHaveLength(2);
    // The desk confirms the order once it is paid, and checks a ticket in.
    const { tickets } = confirmTicketOrder(rt, business.slug, orders[0]!.code);
    await page.run(reload);
    await arrive("Your tickets are confirmed");
    expect(checkInTicket(rt, business.slug, tickets[0]!.admissionCode)).toMatchObject({
      status: "CHECKED_IN",
    });
  });
}

test("a guest asks for a table over plain HTTP, where browsers name only the origin of a form", async (t) => {
  const { rt, page, waitForText, click, fill, pressLastTime } = await openFlow(
    t,
    "restaurant",
    true,
    "bistro.test",
  );
  await fill("How many people?", "2");
  await click("Show free times");
  await pressLastTime();
  await waitForText("Your details");
  await fill("Name", "Ana García");
  await fill("Email", "ana@example.com");
  await page.run(press, SUBMIT);
  await waitForText("Request received");
  expect(listMade(rt)).toMatchObject([{ status: "PENDING", partySize: 2 }]);
});
