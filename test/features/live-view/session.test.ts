import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import type { SendOnce } from "../../../src/app/webhooks/test-endpoint.ts";
import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { lineWidth } from "../../../src/features/live-view/views/cells.ts";
import { KEY_HELP } from "../../../src/features/live-view/views/help.ts";
import { addBusiness, emitEvents } from "../../support/delivery.ts";
import { fillDeliveries } from "../../support/live-data.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { openSession } from "./open-view.ts";
import { WAITS } from "../../support/waits.ts";

type View = ReturnType<typeof openSession>;

async function openView(options: Parameters<typeof openSession>[1] = {}, deliveries = 400) {
  const rt = createTestRuntime();
  const endpoints = await fillDeliveries(rt, deliveries);
  const business = rt.store.businesses.list()[0]!;
  return { rt, endpoints, business, view: openSession(rt, options) };
}

/** A size that shows whole delivery IDs, which `visibleIds` and `selectedId` read. */
const WIDE = { columns: 150, rows: 40 };
const visibleIds = (view: View): number[] =>
  [...view.text().matchAll(/dlv_0*(\d+) │/g)].map(([, number]) => Number(number));
const selectedNumber = (view: View): number => Number(/▸.*dlv_0*(\d+)/.exec(view.text())?.[1]);
const listLabel = (view: View): string => /─ deliveries ─+ (.*) ─╮/.exec(view.text())?.[1] ?? "";
const selectedId = (view: View): string => /▸.*(dlv_\w+)/.exec(view.text())?.[1] ?? "";

test.each([
  ["j", ["j"], { selected: 399, first: 400 }],
  ["down three times", ["down", "down", "down"], { selected: 397, first: 400 }],
  ["k at the top", ["k"], { selected: 400, first: 400 }],
  ["a page down", ["pgdn"], { selected: 376, first: 376 }],
  ["a page down and one up", ["pgdn", "k"], { selected: 377, first: 377 }],
  ["two pages down and one up", ["pgdn", "pgdn", "pgup"], { selected: 376, first: 376 }],
  ["the oldest", ["end"], { selected: 1, first: 24 }],
  ["beyond the oldest", ["end", "j", "pgdn"], { selected: 1, first: 24 }],
  ["up from the oldest", ["end", "pgup"], { selected: 25, first: 48 }],
  ["back to the newest", ["end", "g"], { selected: 400, first: 400 }],
])("the cursor of the list moves with keys: %s", async (_name, keys, expected) => {
  const { view } = await openView(WIDE);
  view.press(...keys);
  expect({ selected: selectedNumber(view), first: visibleIds(view)[0] }).toEqual(expected);
});

test("moving row by row selects each delivery once on the way down, and once on the way up", async () => {
  const { view } = await openView(WIDE, 120);
  const walk = (key: string) =>
    Array.from({ length: 119 }, () => (view.press(key), selectedNumber(view)));
  expect(walk("j")).toEqual(Array.from({ length: 119 }, (_, i) => 119 - i));
  expect(walk("k")).toEqual(Array.from({ length: 119 }, (_, i) => i + 2));
});

test("new deliveries appear while the list follows the newest, and are counted while it does not", async () => {
  const { rt, view, business } = await openView(WIDE);
  emitEvents(rt, business, "booking.created");
  view.tick();
  expect(listLabel(view)).toBe("all  1-24 of 404  ▮ newest");
  expect(view.text()).toMatch(/▸\S+ ○ pending {7}booking.created/);

  view.press("j");
  const before = visibleIds(view);
  expect(listLabel(view)).toBe("all  1-24 of 404  G to follow");
  emitEvents(rt, business, "booking.created", "staff.created");
  view.tick();
  expect(listLabel(view)).toBe("all  1-24 of 412  ▲ 8 new");
  expect(visibleIds(view)).toEqual(before);
  view.press("G");
  expect(listLabel(view)).toBe("all  1-24 of 412  ▮ newest");
});

test("a paused view ignores changes until it is resumed", async () => {
  const { rt, view, business } = await openView(WIDE);
  view.press(" ");
  const before = view.text();
  expect(listLabel(view)).toContain("▯ paused");
  emitEvents(rt, business, "booking.created");
  view.tick();
  expect(view.text()).toBe(before);
  view.press(" ");
  expect(listLabel(view)).toBe("all  1-24 of 404  ▮ newest");
});

test("the live view redraws nothing while nothing changes", async () => {
  const { rt, view } = await openView();
  for (let i = 0; i < 200; i++) {
    rt.advance(250);
    view.tick();
  }
  expect(view.draws()).toBe(1);
});

test("the clock in the header of the live view advances although nothing else changes", async () => {
  const { rt, view } = await openView();
  rt.advance(60_000);
  view.tick();
  expect(view.text().split("\n")[0]).toMatch(/12:01$/);
});

test.each([
  ["state", ["f", "right", "right", "enter"], "retrying  1-8 of 8  ▮ newest"],
  ["event", ["f", "j", "j", "right", "enter"], "catalog.changed  1-8  ▮ newest"],
  ["endpoint", ["f", "j", "right", "enter"], "partner  1-24  ▮ newest"],
  [
    "two conditions",
    ["f", "right", "j", "j", "right", "esc"],
    "pending + catalog.changed  1-2  ▮ newest",
  ],
  ["the last choice, by going left", ["f", "left", "enter"], "corrupt  ▮ newest"],
  ["nothing after clearing", ["f", "right", "x", "enter"], "all  1-24 of 400  ▮ newest"],
])(
  "the filter panel filters by %s, and the list shows the filter and the places of the shown matches",
  async (_name, keys, expected) => {
    const { view } = await openView(WIDE);
    view.press(...keys);
    expect(listLabel(view).replace(/ {2,}/g, "  ")).toBe(expected);
  },
);

test.each([
  ["a delivery", "dlv_0000000000000000000000377", [377]],
  [
    "the beginning of a delivery's ID",
    "dlv_000000000000000000000037",
    [379, 378, 377, 376, 375, 374, 373, 372, 371, 370],
  ],
  ["an event", "evt_0000000000000000000000100", [400, 399, 398, 397]],
])("a search for %s lists the matching deliveries", async (_name, text, found) => {
  const { view } = await openView(WIDE);
  view.type(`/${text}`);
  view.press("enter");
  expect(visibleIds(view)).toEqual(found);
});

test.each([
  ["a host", ":9001", "/:9001  1-24  ▮ newest"],
  ["an error", "http 500", "/http 500  1-12  ▮ newest"],
  ["a status code", "500", "/500  1-12  ▮ newest"],
  ["a part of an event type", "staff.", "/staff.  1-24  ▮ newest"],
  ["a whole event type", "staff.deleted", "/staff.deleted  1-12  ▮ newest"],
  ["a state", "exhausted", "/exhausted  1-4  ▮ newest"],
  ["nothing", "nobody", "/nobody  ▮ newest"],
  ["the name of a property of every object", "constructor", "/constructor  ▮ newest"],
])("a search for %s shows its text and the places of its matches", async (_name, text, label) => {
  const { view } = await openView(WIDE);
  view.type(`/${text}`);
  view.press("enter");
  expect(listLabel(view).replace(/ {2,}/g, "  ")).toBe(label);
});

test("a time filter shows the deliveries since a time, and moves with the clock", async () => {
  const { rt, view, business } = await openView(WIDE);
  emitEvents(rt, business, "booking.created");
  rt.advance(20 * 60_000);
  emitEvents(rt, business, "staff.created");
  view.tick();
  view.press("f", "j", "j", "j", "right", "enter");
  expect(listLabel(view)).toBe("last 15m  1-4  ▮ newest");
  view.press("f", "j", "j", "j", "right", "enter");
  expect(listLabel(view)).toBe("last 1h  1-8  ▮ newest");
  view.type(":since 12:19");
  view.press("enter");
  expect(listLabel(view)).toBe("since 12:19:00  1-4  ▮ newest");
  view.type(":since 20m");
  view.press("enter");
  rt.advance(60_000);
  view.tick();
  expect(listLabel(view)).toBe("last 20m  1-4  ▮ newest");
  view.type(":since soon");
  view.press("enter");
  expect(view.footer()).toMatch(/^ Invalid time 'soon': use 15m, /);
  view.press("esc");
  expect(listLabel(view)).toMatch(/^all {2}/);
});

test("the list says that a search has no match", async () => {
  const { view } = await openView(WIDE);
  view.type("/nobody");
  view.press("enter");
  expect(view.text()).toContain("No delivery matches. Press esc to show all.");
});

test("the key esc goes back level by level and never quits", async () => {
  const { view } = await openView(WIDE);
  view.press("f", "right", "enter");
  view.type("/partner");
  view.press("enter", "enter", "?");
  const seen: string[] = [];
  for (let i = 0; i < 6; i++) {
    seen.push(
      view.text().includes("─ help ─")
        ? "help"
        : view.text().includes("[1 summary]")
          ? "delivery"
          : listLabel(view).split("  ")[0]!,
    );
    view.press("esc");
  }
  expect(seen).toEqual(["help", "delivery", "pending + /partner", "pending", "all", "all"]);
  expect(view.quits).toEqual([]);
});

test("neither esc nor x removes the filter for the business with which the live view was started", async () => {
  const rt = createTestRuntime();
  await fillDeliveries(rt, 100);
  const other = addBusiness(rt, "other");
  const view = openSession(rt, { ...WIDE, businessId: other.id });
  const showsOnlyOtherBusiness = () =>
    /^ deskbell 0\.1\.0 {2}other /.test(view.text()) && view.text().includes("No deliveries yet.");
  expect(showsOnlyOtherBusiness()).toBe(true);
  view.press("f", "right", "enter");
  expect(view.text()).toContain("No delivery matches. Press esc to show all.");
  for (const keys of [["esc"], ["f", "right", "x", "enter"], ["esc", "esc", "esc"]]) {
    view.press(...keys);
    expect(showsOnlyOtherBusiness()).toBe(true);
  }
  view.press("f", "j", "j", "j", "j", "right", "enter");
  expect(view.text()).toContain("1-24 of 100");
  view.press("esc");
  expect(showsOnlyOtherBusiness()).toBe(true);
});

test("the key r redelivers the selected delivery", async () => {
  const { rt, view } = await openView(WIDE);
  view.press("j");
  const id = selectedId(view);
  view.press("r");
  await vi.waitUntil(() => view.footer().includes("queued for redelivery"), WAITS);
  expect(rt.store.deliveries.findById(id)?.status).toBe("PENDING");
  expect(view.text()).toMatch(/▸\S+ ○ pending/);
});

test.each([
  [120, 40],
  [80, 24],
  [50, 12],
])("a failed redelivery shows the reason and the whole fix at %ix%i", async (columns, rows) => {
  const { rt, view, endpoints } = await openView({ columns, rows });
  disableEndpoint(rt, endpoints[3]!, "manual");
  view.press("j", "r");
  await vi.waitUntil(() => view.text().includes(" fix: "), WAITS);
  expect(view.text()).toMatch(
    new RegExp(`fix:\\s+deskbell\\s+webhooks\\s+enable\\s+${endpoints[3]}$`),
  );
  expect(view.lines().map(lineWidth)).toEqual(Array(rows).fill(columns));
  view.press("k");
  expect(view.footer()).toMatch(/^ ⏎ open/);
});

test("the key R redelivers all deliveries of the filter after their count is typed", async () => {
  const { rt, view } = await openView(WIDE);
  view.press("f", "right", "right", "right", "right", "enter");
  expect(listLabel(view)).toContain("exhausted  1-4 of 4");
  view.press("R", "3", "enter");
  expect(view.footer()).toBe(" The count does not match; nothing was redelivered.");
  view.press("R", "4");
  expect(view.footer()).toContain("Redeliver 4 deliveries? Type 4 to confirm: 4█");
  view.press("enter");
  await vi.waitUntil(() => view.footer() === " 4 deliveries queued for redelivery", WAITS);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ PENDING: 16, EXHAUSTED: 0 });
});

test("the key R shows how many deliveries were queued, and the last reason why a delivery was not queued", async () => {
  const { rt, view, endpoints } = await openView(WIDE);
  disableEndpoint(rt, endpoints[3]!, "manual");
  view.press("f", "right", "right", "right", "right", "enter", "R", "4", "enter");
  await vi.waitUntil(() => view.footer().includes("queued"), WAITS);
  expect(view.footer()).toMatch(
    /^ 0 of 4 queued for redelivery\. The endpoint of dlv_\w+ is disabled\b/,
  );
});

test.each([
  ["SQLITE_BUSY", "Another program is writing. Try again in a moment."],
  ["SQLITE_FULL", "The disk is full. Free some space and try again."],
])(
  "the key R shows how many deliveries were queued before %s, and the error",
  async (code, message) => {
    const { rt, view } = await openView({ columns: 120 }, 1000);
    view.press(..."flll", "enter", "R", ..."960", "enter");
    const tx = rt.tx;
    vi.spyOn(rt, "tx").mockImplementation((work) => {
      if (view.footer().startsWith(" 400 of")) throw new Database.SqliteError(code, code);
      return tx(work);
    });
    await vi.waitUntil(() => view.footer().includes("queued"), WAITS);
    expect(view.footer()).toBe(` 400 of 960 queued for redelivery. ${message}`);
  },
);

test("the key R requires a filter or a search", async () => {
  const { view } = await openView();
  view.press("R");
  expect(view.footer()).toBe(
    " R would redeliver every delivery. Narrow the list first, with f or /.",
  );
});

test("the key t sends a test event to the endpoint of the delivery and shows the response", async () => {
  const posts: string[] = [];
  const { view } = await openView({
    sendOnce: async ({ url }) => {
      posts.push(url);
      return {
        outcome: { kind: "responded", statusCode: 204, retryAfter: null, responseText: "" },
        address: "127.0.0.1",
      };
    },
  });
  view.press("t");
  await vi.waitUntil(() => view.footer().includes("204"), WAITS);
  expect(view.footer()).toBe(" ✓ test event: 204 in 0 ms from 127.0.0.1");
  expect(posts).toEqual(["http://127.0.0.1:9000/hook"]);
});

test("a failed test event shows its error", async () => {
  const { view } = await openView();
  view.press("e", "t");
  await vi.waitUntil(() => view.footer().includes("failed"), WAITS);
  expect(view.footer()).toBe(" ✗ test event failed after 0 ms: refused: no network here");
});

test("a narrow terminal shortens the prompt so that the input stays visible", async () => {
  const { view } = await openView({ columns: 50, rows: 12 });
  view.press(..."flll", "enter", "R", ..."38");
  expect(view.footer()).toMatch(/^ Redeliver 384\? Type 384: 38█/);
  view.press("esc", "/", ..."service_price.updated");
  expect(view.footer()).toMatch(/^ search any text or ID: service_price\.updated█/);
});

test("ending the live view aborts a running test event, and stops drawing and reading", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<SendOnce>>>();
  const { rt, view } = await openView({
    sendOnce: (_post, signal) => (signals.push(signal), promise),
  });
  view.press("t", "q");
  view.end();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  rt.close();
  const drawn = view.draws();
  resolve({ outcome: { kind: "refused", error: "given up" }, address: null });
  await new Promise(setImmediate);
  expect(view.draws()).toBe(drawn);
});

test("ending the live view during a large redelivery never reads the closed database", async () => {
  const { rt, view } = await openView({}, 4000);
  view.press(..."flll", "enter", "R");
  const [, count = ""] = /^ Redeliver (\d+) deliveries/.exec(view.footer()) ?? [];
  expect(Number(count)).toBeGreaterThan(200);
  view.press(...count, "enter", "q");
  view.end();
  rt.close();
  await new Promise(setImmediate);
});

test("the key i copies the ID of the selected delivery, and the key y that of the selected endpoint", async () => {
  const { view, endpoints } = await openView();
  view.press("j", "i");
  expect(view.footer()).toBe(" copied dlv_0000000000000000000000399");
  view.press("enter", "i", "esc", "e", "j", "y");
  expect(view.copied).toEqual([
    "dlv_0000000000000000000000399",
    "dlv_0000000000000000000000399",
    endpoints[1],
  ]);
});

test("the key y copies a curl command and opens its screen only once, and esc returns to the list", async () => {
  const { view } = await openView();
  view.press("y", "y");
  expect(view.copied[0]).toMatch(
    /^curl [^]* --url http:\/\/127\.0\.0\.1:9000\/hook [^]*--data-raw '\{/,
  );
  expect(view.copied[1]).toBe(view.copied[0]);
  expect(view.text()).toMatch(/^curl --include/m);
  view.press("esc");
  expect(view.text()).toContain("─ deliveries ─");
});

test("a curl command that is too long for the clipboard is shown and not copied", async () => {
  const { rt, view } = await openView();
  const db = new Database(rt.config.databasePath);
  db.prepare("UPDATE event SET body = ?").run(Buffer.from(JSON.stringify("x".repeat(60_000))));
  db.close();
  view.press("y");
  expect(view.copied).toEqual([]);
  expect(view.footer()).toMatch(/^ Too long for the clipboard/);
  view.press("end");
  expect(view.text()).toMatch(/x"'\n [^\n]*$/);
});

test("the key enter on an endpoint shows its deliveries", async () => {
  const { view } = await openView(WIDE);
  view.press("e", "j", "enter");
  expect(new Set(visibleIds(view).map((number) => number % 4))).toEqual(new Set([1]));
});

test("the key enter on an endpoint shows its deliveries even if the endpoints were opened on another screen", async () => {
  const { view } = await openView(WIDE);
  for (const from of ["enter", "?"]) {
    view.press(from, "e", "j", "enter");
    expect(new Set(visibleIds(view).map((number) => number % 4))).toEqual(new Set([1]));
    view.press("esc");
  }
});

test("the cursor stays on the selected endpoint when endpoints change places", async () => {
  const { rt, view, endpoints } = await openView();
  view.press("e", "y");
  const [first, other] = [view.copied[0]!, endpoints.find((id) => id !== view.copied[0])!];
  disableEndpoint(rt, other, "manual");
  view.tick();
  expect(view.text()).toMatch(/│ – .* disabled/);
  view.press("y");
  expect(view.copied).toEqual([first, first]);
});

test("the key page down in the text of a delivery skips no line", async () => {
  const { view } = await openView({ rows: 12 });
  const shownLines = () => /─ (\d+)-(\d+) of \d+ ─╮/.exec(view.text())!.slice(1).map(Number);
  view.press("j", "enter", "2");
  const [, last] = shownLines();
  view.press("pgdn");
  expect(shownLines()[0]).toBe(last! + 1);
});

test("the live view never reads rows with a limit below 1, even in a window of a few rows", async () => {
  const { rt, view } = await openView();
  const limits: number[] = [];
  const page = rt.store.deliverySearch.listPage;
  vi.spyOn(rt.store.deliverySearch, "listPage").mockImplementation(
    (...args) => (limits.push(args[3]), page(...args)),
  );
  for (const rows of [1, 2, 4, 5]) view.resize(80, rows);
  expect(Math.min(...limits)).toBeGreaterThan(0);
});

test("a window that is too small accepts only the keys that quit", async () => {
  const { rt, view } = await openView();
  view.press("/");
  view.resize(40, 10);
  const before = rt.revision();
  view.paste("q");
  view.press("r", "q", "ctrl-c");
  expect(rt.revision()).toBe(before);
  expect(view.quits).toEqual([null, "SIGINT"]);
});

test("pasted text goes into an open prompt and is otherwise ignored", async () => {
  const { rt, view } = await openView();
  const before = rt.revision();
  view.paste("rtq\ny");
  expect(view.footer()).toBe(" Press / before pasting: pasted text is never run as keys.");
  expect([rt.revision(), view.quits, view.copied]).toEqual([before, [], []]);
  view.press("/");
  view.paste("\nservice_price\r\nq");
  expect(view.footer()).toMatch(/ID: service_price█/);
  view.press("enter");
  expect(view.text()).toContain("/service_price");
});

test("pasted text is cut at the maximum length of the prompt", async () => {
  const { view } = await openView();
  view.press("/");
  view.paste("x".repeat(1_000_000));
  expect(view.footer()).toMatch(/ID: x+█/);
});

test("the end of typed double-width characters stays visible", async () => {
  const { view } = await openView();
  view.press("/", ..."漢".repeat(60), ..."end");
  expect(view.footer()).toMatch(/ID: 漢+end█/);
});

test.each([
  ["r", "redelivery is"],
  ["R", "redelivery is"],
  ["t", "test events are"],
])(
  "the flag --readonly disables the key %s, and the message names the flag",
  async (key, disabled) => {
    const { rt, view } = await openView({ isReadonly: true });
    const before = rt.revision();
    view.press("f", "right", "enter", key);
    expect(view.footer()).toBe(` This view was started with --readonly: ${disabled} disabled.`);
    expect(rt.revision()).toBe(before);
  },
);

test("the keys q and ctrl-c quit from every screen, and in a prompt only ctrl-c does", async () => {
  const { view } = await openView();
  view.press("q", "enter", "q", "?", "ctrl-c", "/", "q");
  expect(view.quits).toEqual([null, null, "SIGINT"]);
  view.press("ctrl-c");
  expect(view.quits).toEqual([null, null, "SIGINT", "SIGINT"]);
});

test("a shown delivery that is deleted is replaced by a message", async () => {
  const { rt, view } = await openView();
  view.press("j", "enter");
  rt.tx(() => rt.store.retention.pruneEvents(0, 1000, { ended: rt.now() + 1, unresolved: 0 }));
  view.tick();
  expect(view.text()).toContain("This delivery no longer exists.");
});

test("the help lists every key", () => {
  const named = KEY_HELP.flatMap(([keys]) => keys.split(" "));
  expect(named).toEqual(
    expect.arrayContaining([
      "j",
      "k",
      "g",
      "G",
      "r",
      "R",
      "f",
      "/",
      "e",
      "t",
      "y",
      "space",
      "q",
      "esc",
    ]),
  );
});

test("the view of one business reads the catalog of no other business", () => {
  const rt = createTestRuntime();
  const shown = addBusiness(rt, "shown");
  addBusiness(rt, "damaged");
  const db = new Database(rt.config.databasePath);
  // A view that reads the other catalog fails at the damaged value.
  db.pragma("ignore_check_constraints = ON");
  db.prepare("UPDATE business SET schedule = '{' WHERE slug = 'damaged'").run();
  db.close();
  const view = openSession(rt, { businessId: shown.id });
  expect(view.text()).toContain("shown");
  view.press("d");
  expect(view.text()).toContain("0 visits");
});
