import { expect, test } from "vitest";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { type PageOptions, useBrowser } from "../../../support/browser.ts";
import { TEXTS } from "../../../../src/features/desk/browser/texts.ts";
import { objectId } from "../../../../src/domain/catalog/object-id.ts";
import { businessOf } from "../open-desk.ts";
import { openAll, openDeskPage, SLUG } from "../open-page.ts";

const openPage = useBrowser();

test.for([true, false])(
  "a phone accepts a visit, enters a walk-in and marks a dish as sold out (scripts: %s)",
  { timeout: 120_000 },
  async (scripts, test) => {
    const { rt, page, reader, statusOf } = await openDeskPage(test, openPage, { scripts });
    await page.run(openAll);
    await reader.click("Accept");
    await reader.waitForText("Accepted.");
    expect(statusOf()).toBe("CONFIRMED");
    await page.run(openAll);
    await reader.fill("Name", "Bo");
    await reader.click("Enter");
    await reader.waitForText("Entered.");
    expect(await reader.readText()).toContain("Bo");
    await page.run(openAll);
    await reader.click("Mark as sold out");
    await reader.waitForText("Marked as sold out.");
    expect(rt.store.soldOut.list(businessOf(rt).id).size).toBe(1);
    expect(page.errors).toEqual([]);
  },
);

/** Returns the name of the visit whose row in the section of changed visits is open and in sight. */
async function readShownVisit(): Promise<string | undefined> {
  const { document, innerHeight } = globalThis as unknown as {
    innerHeight: number;
    document: {
      querySelector: (
        selector: string,
      ) => { textContent: string; getBoundingClientRect: () => { top: number } } | null;
    };
  };
  const row = document.querySelector("#recent details[open] .name");
  const top = row?.getBoundingClientRect().top ?? -1;
  return top > 0 && top < innerHeight ? row?.textContent : undefined;
}

test.for([true, false])(
  "a request for a later day that was accepted by mistake is one tap away (scripts: %s)",
  { timeout: 60_000 },
  async (scripts, test) => {
    const { page, reader, statusOf } = await openDeskPage(test, openPage, {
      scripts,
      prepare(rt) {
        const [booking] = rt.store.bookings.listPage({ businessId: businessOf(rt).id }, 1);
        const move = <Times extends { startsAt: number; endsAt: number }>(times: Times) => ({
          ...times,
          startsAt: times.startsAt + 7 * 86_400_000,
          endsAt: times.endsAt + 7 * 86_400_000,
        });
        const segments = booking!.segments.map(move);
        rt.tx(() => rt.store.bookings.update(move({ ...booking!, segments })));
      },
    });
    await reader.click("Accept");
    await reader.waitForText("Accepted.");
    await reader.click("Ana Silva, Tue 8 Dec, 12:00");
    await expect.poll(() => page.run(readShownVisit)).toBe("Ana Silva");
    expect(await reader.findViolations()).toEqual([]);
    expect(await reader.measureOverflow()).toBeLessThanOrEqual(0);
    await reader.click("Cancel the visit");
    await reader.waitForText("Cancelled.");
    expect(statusOf()).toBe("CANCELLED");
    expect(page.errors).toEqual([]);
  },
);

test("a dish among many is found by a part of its name, without accents", async (test) => {
  const dishes = ["Crème brûlée", ...Array.from({ length: 20 }, (_, i) => `Dish ${i}`)];
  const { rt, page, reader } = await openDeskPage(test, openPage, { dishes });
  await page.run(openAll);
  await reader.fill("Find", "BRULEE");
  await reader.click("Mark as sold out");
  await reader.waitForText("Marked as sold out.");
  const marked = [...rt.store.soldOut.list(businessOf(rt).id).keys()];
  expect(marked).toEqual([objectId("menu_item", SLUG, { key: "dish-0", previousKeys: [] })]);
  expect(page.errors).toEqual([]);
}, 60_000);

/** Returns what the fields of the form for walk-ins contain, and how many services it offers. */
async function readWalkIn(): Promise<(string | number)[]> {
  const { document } = globalThis as unknown as {
    document: { querySelectorAll: (selector: string) => Iterable<{ value: string }> };
  };
  const form = "#walk-in form:first-of-type";
  const fields = document.querySelectorAll(`${form} :is(select, input:not([type=hidden]))`);
  const services = document.querySelectorAll(`${form} [name=service] option`);
  return [...[...fields].map(({ value }) => value), [...services].length];
}

test("the form for walk-ins is empty after a guest is entered, and stays as it is after a refusal", async (test) => {
  const business = { slug: SLUG, name: "Salon", timezone: "Etc/UTC", currency: "EUR" };
  const services = Array.from({ length: 15 }, (_, i) => ({
    key: `care-${i}`,
    name: `Care ${i}`,
    durationMin: 30,
    price: "10.00",
  }));
  const text = JSON.stringify({ catalog: 1, business, services });
  const { page, reader } = await openDeskPage(test, openPage, {
    prepare: (rt) => void applyCatalog(rt, [{ name: "more.json", text }]),
  });
  await page.run(openAll);
  const before = await page.run(readWalkIn);
  const enter = async (name: string, result: string) => {
    expect(await page.run(readWalkIn)).toEqual(before);
    await reader.fill("Find", "cut");
    await reader.fill("Name", name);
    await reader.fill("Came", "10");
    await reader.click("Enter");
    await reader.waitForText(result);
  };
  await enter("Bo", "Bo\nCut");
  await enter("Cy", "Cy\nCut");
  await enter("Di", "Nothing is free at this time.");
  expect(await page.run(readWalkIn)).toEqual(expect.arrayContaining(["Di", "10", 1]));
  expect(page.errors).toEqual([]);
}, 60_000);

test("the link that has paired a device is neither in the address bar nor in the title", async (test) => {
  const { page, url } = await openDeskPage(test, openPage);
  const address = async () => {
    const { location, document } = globalThis as unknown as {
      location: { href: string };
      document: { title: string };
    };
    return [location.href, document.title];
  };
  expect(await page.run(address)).toEqual([url, "Front desk · Salon Aurora"]);
}, 60_000);

/** Returns the targets of less than 44 pixels, which a finger might miss. */
async function findSmallTargets(): Promise<string[]> {
  const { document } = globalThis as unknown as {
    document: {
      querySelectorAll: (selector: string) => Iterable<{
        outerHTML: string;
        getBoundingClientRect: () => { width: number; height: number };
      }>;
    };
  };
  return [...document.querySelectorAll("a, button, summary, input:not([type=hidden]), select")]
    .filter((target) => {
      const { width, height } = target.getBoundingClientRect();
      return width > 0 && Math.min(width, height) < 44;
    })
    .map(({ outerHTML }) => outerHTML.slice(0, 120));
}

test.for<[string, PageOptions]>([
  ["a phone", { width: 360, height: 740 }],
  ["a small phone in dark colours", { width: 320, height: 600, dark: true }],
  ["a desktop", { width: 1280, height: 800 }],
])(
  "on %s, the page with all parts open passes axe and fits the screen",
  { timeout: 120_000 },
  async ([, options], test) => {
    const { page, reader } = await openDeskPage(test, openPage, options);
    await page.run(openAll);
    expect(await reader.findViolations()).toEqual([]);
    expect(await reader.measureOverflow()).toBeLessThanOrEqual(0);
    expect(await page.run(findSmallTargets)).toEqual([]);
    expect(page.errors).toEqual([]);
  },
);

test.for(["de", "fr", "es", "it"])(
  "the page in %s fits a small phone and lacks no text",
  { timeout: 60_000 },
  async (language, test) => {
    const { page, reader } = await openDeskPage(test, openPage, { width: 320, language });
    await page.run(openAll);
    const text = await reader.readText();
    expect(await reader.measureOverflow()).toBeLessThanOrEqual(0);
    expect(text).not.toMatch(/[{}]|undefined|null|\d{4}-\d\d-\d\d/);
    expect(text).not.toContain(TEXTS.en.somebodyAway);
    expect(page.errors).toEqual([]);
  },
);

test("a change by somebody else appears without a reload", async (test) => {
  const { rt, reader } = await openDeskPage(test, openPage);
  const start = "2026-12-01T14:00";
  createBooking(
    rt,
    SLUG,
    { service: "cut", start, customer: { name: "Zoe Appears" } },
    { ignoresNotice: true },
  );
  await expect.poll(reader.readText).toContain("Zoe Appears");
}, 60_000);

test("three taps enter that a person is away and give the person's eight visits to colleagues", async (test) => {
  const { rt, reader, page } = await openDeskPage(test, openPage, {
    prepare(rt) {
      for (let half = 6; half < 14; half++)
        createBooking(
          rt,
          SLUG,
          {
            service: "cut",
            staff: "leo",
            start: `2026-12-01T${10 + Math.floor(half / 2)}:${half % 2 === 0 ? "00" : "30"}`,
          },
          { ignoresNotice: true },
        );
    },
  });
  const staffOf = () => {
    const filter = { businessId: businessOf(rt).id, from: rt.now(), to: rt.now() + 86_400_000 };
    return rt.store.bookings.listPage(filter, 20).map(({ segments }) => segments[0]?.staffName);
  };
  await reader.click("Somebody is away");
  await reader.click("Away today\nLeo");
  await reader.waitForText("Entered. Affected visits: 8.");
  expect(await reader.readFocus()).toMatch(/^H2 Leo/);
  const text = await reader.readText();
  expect(text.match(/Could take it: /g)).toHaveLength(8);
  await reader.click("Give them to colleagues");
  await reader.waitForText("Visits given to colleagues: 8.");
  expect(staffOf()).not.toContain("Leo");
  expect(staffOf()).toHaveLength(9);
  expect(page.errors).toEqual([]);
}, 60_000);

test("a link at the top opens its part of the page, and the link of the next visit opens the visit's details", async (test) => {
  const { reader } = await openDeskPage(test, openPage);
  expect(await reader.readText()).not.toContain("Code of the ticket");
  await reader.click("Check-in");
  await reader.waitForText("Code of the ticket");
  expect(await reader.readText()).not.toContain("New time");
  await reader.click("12:00");
  await reader.waitForText("New time");
}, 60_000);

test("the keyboard reaches the actions, and the focus stays on the page after an action", async (test) => {
  const { reader, page, statusOf } = await openDeskPage(test, openPage);
  const seen: string[] = [];
  while (!seen.at(-1)?.startsWith("BUTTON Accept") && seen.length < 30) {
    await page.press("Tab");
    seen.push(await reader.readFocus());
  }
  expect(seen.at(-1)).toBe("BUTTON Accept\nAna Silva, Today, 12:00");
  await page.press("Enter");
  await reader.waitForText("Accepted.");
  expect(statusOf()).toBe("CONFIRMED");
  expect(await reader.readFocus()).toBe("DIV Accepted.");
}, 60_000);
