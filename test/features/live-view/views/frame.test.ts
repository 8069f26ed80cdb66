import { expect, test } from "vitest";
import { lineWidth } from "../../../../src/features/live-view/views/cells.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { fillDeliveries } from "../../../support/live-data.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";
import { confirmedVisit } from "../../../support/visit-rows.ts";
import { patient } from "../../../support/patience.ts";
import { chooseScale } from "../../../support/scale.ts";
import { disableEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { FEATURES } from "../../../../src/features/index.ts";
import { openViewOnTerminal, openSession } from "../open-view.ts";

const HOUR_MS = 3_600_000;
/** 3 days, 4 hours and 12 minutes. */
const UPTIME_MS = 274_320_000;
/** `npm run test:thorough` combines every width with every height. */
const IS_FULL = chooseScale(false, true);

// The service and the staff member of this segment are no longer in the catalog.
const segment = {
  serviceId: "svc_1",
  serviceName: "A cut with a very long name",
  variantId: null,
  variantName: null,
  addons: [],
  staffId: "stf_1",
  staffName: "Maya",
  resources: [],
  seats: 1,
  bufferBeforeMin: 0,
  bufferAfterMin: 0,
  priceCents: 4000,
};

async function createFilledRuntime(deliveries = 400) {
  const rt = createTestRuntime();
  await fillDeliveries(rt, deliveries);
  rt.store.daemon.save({ url: "http://127.0.0.1:4100", startedAt: rt.now() - UPTIME_MS });
  addVisits(rt);
  return rt;
}

/** Adds two visits of the day with names that could shift the columns. */
function addVisits(rt: TestRuntime): void {
  const { id } = rt.store.businesses.list()[0]!;
  const at = rt.now();
  const span = { startsAt: at, endsAt: at + HOUR_MS };
  rt.tx(() => {
    rt.store.bookings.insert(id, {
      ...confirmedVisit(at),
      ...span,
      id: "bkg_1",
      customerRef: "太郎\u202e",
      guests: 2,
      totalCents: 4000,
      currency: "USD",
      currencyDigits: 2,
      segments: [{ ...segment, ...span }],
    });
    rt.store.reservations.insert(id, {
      ...confirmedVisit(at + HOUR_MS),
      id: "rsv_1",
      status: "PENDING",
      endsAt: at + 2 * HOUR_MS,
      partySize: 4,
      areaId: null,
      tableId: "tbl_1",
    });
  });
}

/**
 * The recorded frames show a warning about backups, so they fit only a program with the feature
 * `backups`.
 */
const LACKS_BACKUPS = FEATURES.every(({ name }) => name !== "backups");

test.skipIf(LACKS_BACKUPS).each([
  [80, 24],
  [120, 40],
])("ink draws the main screen at %ix%i", async (columns, rows) => {
  const terminal = await openViewOnTerminal(await createFilledRuntime(), columns, rows);
  await expect(terminal.text()).toMatchFileSnapshot(`frames/main-${columns}x${rows}.txt`);
});

const SCREENS: {
  name: string;
  keys: string[];
  columns?: number;
  rows?: number;
  isAscii?: boolean;
}[] = [
  { name: "smallest", keys: [], columns: 40, rows: 12 },
  { name: "phone", keys: [], columns: 45, rows: 24 },
  { name: "too-small", keys: [], columns: 39, rows: 12 },
  { name: "ascii", keys: [], isAscii: true },
  { name: "moved", keys: ["j", "pgdn"] },
  { name: "filter", keys: ["f", "right", "right"] },
  { name: "search", keys: [..."/booking", "enter"] },
  { name: "typing", keys: [..."/menu_it"] },
  { name: "summary", keys: ["j", "enter"] },
  { name: "request", keys: ["j", "enter", "2"] },
  { name: "request-wide", keys: ["j", "enter", "2"], columns: 120, rows: 40 },
  { name: "response", keys: ["j", "enter", "3"] },
  { name: "attempts", keys: ["j", "enter", "4"] },
  { name: "endpoints", keys: ["e"] },
  { name: "day", keys: ["d"] },
  { name: "day-narrow", keys: ["d"], columns: 40, rows: 12 },
  { name: "day-phone", keys: ["d", "j", "a"], columns: 45, rows: 24 },
  { name: "next-day", keys: ["d", "right"] },
  { name: "curl", keys: ["j", "y"] },
  { name: "disable", keys: ["e", "D"] },
  { name: "enable", keys: ["e", "E"] },
  { name: "commands", keys: [":"] },
  { name: "commands-narrow", keys: [..."e:re"], columns: 50, rows: 12 },
  { name: "problems", keys: ["p"] },
  { name: "help", keys: ["?"] },
  { name: "typing-narrow", keys: [..."/menu_item"], columns: 50, rows: 12 },
  { name: "help-narrow", keys: ["?"], columns: 50, rows: 24 },
  { name: "help-ascii", keys: ["?"], isAscii: true },
];

test.skipIf(LACKS_BACKUPS).each(SCREENS)(
  "the live view's screen $name matches its recorded frame",
  async ({ name, keys, ...options }) => {
    const view = openSession(await createFilledRuntime(), options);
    view.press(...keys);
    await expect(view.text().replace(/whe_\w{25}/g, "whe_…")).toMatchFileSnapshot(
      `frames/${name}.txt`,
    );
  },
);

test.each([
  [24, /│ fail +\.\. +12 /],
  [40, /│ fail +▁\. +12 /],
])("at %i rows, the charts draw 3 percent of failures as a small bar", async (rows, fail) => {
  const text = openSession(await createFilledRuntime(), { columns: 120, rows }).text();
  expect(text).toMatch(/│ ok +█\. +384 /);
  expect(text).toMatch(fail);
});

test.each([
  [50, 12],
  [80, 24],
  [120, 40],
])(
  "the list of endpoints at %ix%i says since when and why an endpoint fails",
  async (columns, rows) => {
    const rt = await createFilledRuntime(8);
    const [failing, disabled] = rt.store.endpoints.list();
    const failingSince = rt.now() - 3_600_000;
    rt.tx(() => {
      for (const { id } of [failing!, disabled!])
        rt.store.endpoints.updateStreak(id, { ...failing!, failingSince, lastError: "HTTP 500" });
      disableEndpoint(rt, disabled!.id, "failing");
    });
    const view = openSession(rt, { columns, rows });
    if (columns < 120) view.press("e");
    const reasons = [
      /– partner .*\n.* disabled: HTTP 500 since 11:00:00 /,
      /▲ partner +127\.0\.0\.1:9000.*\n.* failing: HTTP 500 since 11:00:00 /,
    ];
    for (const reason of reasons) expect(view.text()).toMatch(reason);
  },
);

test("the screen of the day shows all businesses together, and the key b shows the businesses one by one", async () => {
  const rt = await createFilledRuntime(8);
  addBusiness(rt, "other");
  const view = openSession(rt);
  const first = () => /0 visits|2 visits|No visits/.exec(view.text())?.[0];
  view.press("d");
  expect(view.text()).toMatch(/BUSINESS/);
  const shown = [first()];
  for (let i = 0; i < 3; i++) {
    view.press("b");
    shown.push(first());
  }
  expect(shown.toSorted()).toEqual(["0 visits", "2 visits", "2 visits", "2 visits"]);
});

test("the screen of the day asks the user to choose a business if there are too many to show together", async () => {
  const rt = await createFilledRuntime(8);
  for (let i = 0; i < 20; i++) addBusiness(rt, `other-${i}`);
  const view = openSession(rt);
  view.press("d");
  expect(view.text()).toContain("Choose one of the businesses with b.");
  view.press("b");
  expect(view.text()).toMatch(/\d visits/);
});

test("an empty live view says that there are no deliveries", () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  expect(openSession(rt).text()).toContain("No deliveries yet.");
});

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step);

test.each([false, true])(
  "every screen exactly fills every size from 40x12 to 200x60 (ASCII: %s)",
  { timeout: patient(60_000) },
  async (isAscii) => {
    const rt = await createFilledRuntime(100);
    const wrong: string[] = [];
    for (const [i, { name, keys }] of SCREENS.entries()) {
      const view = openSession(rt, { isAscii });
      view.press(...keys);
      // Each screen is drawn at some of the widths and heights. All screens together cover every
      // width and height.
      const widths = range(40 + (i % 17), 200, 17);
      const heights = range(12 + (i % 11), 60, 11);
      for (const [n, columns] of widths.entries())
        for (const rows of IS_FULL ? heights : [heights[n % heights.length]!]) {
          view.resize(columns, rows);
          if (isAscii) expect(view.text()).toMatch(/^[\n\x20-\x7e]*$/);
          const widths = new Set(view.lines().map(lineWidth));
          if (view.lines().length !== rows || widths.size !== 1 || !widths.has(columns))
            wrong.push(
              `${name} ${columns}x${rows}: ${view.lines().length} lines of ${[...widths].join(", ")}`,
            );
        }
    }
    expect(wrong).toEqual([]);
  },
);

test("a narrow header leaves out the address and the time, not the number of failing endpoints", async () => {
  const rt = await createFilledRuntime(8);
  const [endpoint] = rt.store.endpoints.list();
  rt.tx(() =>
    rt.store.endpoints.updateStreak(endpoint!.id, { ...endpoint!, failingSince: rt.now() }),
  );
  const header = (columns: number) => openSession(rt, { columns }).text().split("\n")[0];
  expect(header(80)).toMatch(/127\.0\.0\.1:4100 {2}▲ 1 failing +12:00$/);
  expect(header(60)).toMatch(/● live {2}▲ 1 failing +12:00$/);
  expect(header(50)).toMatch(/● live {2}▲ 1 failing/);
});

test.each(["uncaughtException", "unhandledRejection"] as const)(
  "the process event %s restores the terminal before the error is reported",
  async (bug) => {
    const terminal = await openViewOnTerminal(await createFilledRuntime(8), 80, 24);
    const [first] = process.listeners(bug as "uncaughtException");
    first!(new Error("a bug"), "uncaughtException");
    await expect.poll(terminal.modes).toEqual(terminal.before);
    expect(process.listeners(bug as "uncaughtException")).not.toContain(first);
  },
);

test.skipIf(LACKS_BACKUPS)(
  "a resized terminal is redrawn, even after it was too small",
  async () => {
    const terminal = await openViewOnTerminal(await createFilledRuntime(), 120, 40);
    terminal.resize(36, 10);
    await terminal.shows(/Needs 40x12, this terminal is 36x10/);
    terminal.resize(80, 24);
    await terminal.shows(/╰─+╯\n ⏎ open/);
    expect(terminal.text().split("\n")[2]).toBe(
      `╭─ last 60 min ${"─".repeat(36)} 1 col = 1 min, full = 381 ─╮`,
    );
  },
);

test("bracketed paste reaches the view as text, not as keys", async () => {
  const terminal = await openViewOnTerminal(await createFilledRuntime(8), 80, 24);
  // Bracketed paste is turned on after ink has drawn the first frame.
  await expect.poll(() => terminal.modes().bracketedPasteMode).toBe(true);
  terminal.type("\x1b[200~q\x1b[201~");
  await terminal.shows(/Press \/ before pasting/);
  terminal.type("/\x1b[200~booking\x1b[201~");
  await terminal.shows(/ID: booking/);
});

test("closing the view restores the terminal", async () => {
  const terminal = await openViewOnTerminal(await createFilledRuntime(), 80, 24);
  expect(terminal.modes().buffer).toBe("alternate");
  terminal.type("q");
  expect(await terminal.view.ended).toBeNull();
  terminal.view.close();
  await expect.poll(terminal.modes).toEqual(terminal.before);
  expect(terminal.text().trim()).toBe("");
});
