import { expect, test, vi } from "vitest";
import type { SendOnce } from "../../src/app/webhooks/test-endpoint.ts";
import { disableEndpoint } from "../../src/app/webhooks/endpoint-lifecycle.ts";
import { lineWidth } from "../../src/tui/cells.ts";
import { KEY_HELP } from "../../src/tui/panels.ts";
import { addBusiness, emitEvents } from "../support/delivery.ts";
import { fillDeliveries } from "../support/live-data.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { openSession } from "../support/live-view.ts";

type Seat = ReturnType<typeof openSession>;

async function seated(options: Parameters<typeof openSession>[1] = {}, deliveries = 400) {
  const rt = createTestRuntime();
  const endpoints = await fillDeliveries(rt, deliveries);
  const business = rt.store.businesses.list()[0]!;
  return { rt, endpoints, business, seat: openSession(rt, options) };
}

/** Ids of the rows on the screen; at this width they are whole. */
const WIDE = { columns: 120, rows: 40 };
const ids = (seat: Seat): number[] =>
  [...seat.text().matchAll(/dlv_0*(\d+) │/g)].map(([, number]) => Number(number));
const selected = (seat: Seat): number => Number(/▸.*dlv_0*(\d+)/.exec(seat.text())?.[1]);
const corner = (seat: Seat): string => /─ deliveries ─+ (.*) ─╮/.exec(seat.text())?.[1] ?? "";
const selectedId = (seat: Seat): string => /▸.*(dlv_\w+)/.exec(seat.text())?.[1] ?? "";

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
])("moving: %s", async (_name, keys, place) => {
  const { seat } = await seated(WIDE);
  seat.press(...keys);
  expect({ selected: selected(seat), first: ids(seat)[0] }).toEqual(place);
});

test("walking down row by row meets every delivery once, and up again too", async () => {
  const { seat } = await seated(WIDE, 120);
  const walk = (key: string) =>
    Array.from({ length: 119 }, () => (seat.press(key), selected(seat)));
  expect(walk("j")).toEqual(Array.from({ length: 119 }, (_, i) => 119 - i));
  expect(walk("k")).toEqual(Array.from({ length: 119 }, (_, i) => i + 2));
});

test("what is new shows at once while the list follows, and is counted while it does not", async () => {
  const { rt, seat, business } = await seated(WIDE);
  emitEvents(rt, business, "booking.created");
  seat.tick();
  expect(corner(seat)).toBe("all  1-24 of 404  ▮ newest");
  expect(seat.text()).toMatch(/▸\S+ ○ pending {7}booking.created/);

  seat.press("j");
  const before = ids(seat);
  expect(corner(seat)).toBe("all  1-24 of 404  G follows");
  emitEvents(rt, business, "booking.created", "staff.created");
  seat.tick();
  expect(corner(seat)).toBe("all  1-24 of 412  ▲ 8 new");
  expect(ids(seat)).toEqual(before);
  seat.press("G");
  expect(corner(seat)).toBe("all  1-24 of 412  ▮ newest");
});

test("a view that is held changes with nothing but the keys", async () => {
  const { rt, seat, business } = await seated(WIDE);
  seat.press(" ");
  const held = seat.text();
  expect(corner(seat)).toContain("▯ paused");
  emitEvents(rt, business, "booking.created");
  seat.tick();
  expect(seat.text()).toBe(held);
  seat.press(" ");
  expect(corner(seat)).toBe("all  1-24 of 404  ▮ newest");
});

test("nothing is drawn while nothing happens", async () => {
  const { rt, seat } = await seated();
  for (let i = 0; i < 200; i++) {
    rt.advance(250);
    seat.tick();
  }
  expect(seat.draws()).toBe(1);
});

test("the minute shows although nothing else has changed", async () => {
  const { rt, seat } = await seated();
  rt.advance(60_000);
  seat.tick();
  expect(seat.text().split("\n")[0]).toMatch(/12:01$/);
});

test.each([
  ["state", ["f", "right", "right", "enter"], "retrying  1-8 of 8  ▮ newest"],
  ["event", ["f", "j", "j", "right", "enter"], "catalog.changed  1-8  ▮ newest"],
  ["endpoint", ["f", "j", "right", "enter"], "partner  1-24  ▮ newest"],
  [
    "two at once",
    ["f", "right", "j", "j", "right", "esc"],
    "pending + catalog.changed  1-2  ▮ newest",
  ],
  ["the other way round", ["f", "left", "enter"], "corrupt  ▮ newest"],
  ["cleared again", ["f", "right", "x", "enter"], "all  1-24 of 400  ▮ newest"],
])("filtering by %s", async (_name, keys, expected) => {
  const { seat } = await seated(WIDE);
  seat.press(...keys);
  expect(corner(seat).replace(/ {2,}/g, "  ")).toBe(expected);
});

test.each([
  ["a delivery", "dlv_0000000000000000000000377", [377]],
  [
    "the beginning of one",
    "dlv_000000000000000000000037",
    [379, 378, 377, 376, 375, 374, 373, 372, 371, 370],
  ],
  ["an event", "evt_0000000000000000000000100", [400, 399, 398, 397]],
])("searching for %s", async (_name, text, found) => {
  const { seat } = await seated(WIDE);
  seat.type(`/${text}`);
  seat.press("enter");
  expect(ids(seat)).toEqual(found);
});

test("searching for a receiver finds what goes to it, in its own words for nothing at all", async () => {
  const { seat } = await seated(WIDE);
  seat.type("/:9001");
  seat.press("enter");
  expect(new Set(ids(seat).map((number) => number % 4))).toEqual(new Set([1]));
  seat.press("esc");
  seat.type("/nobody");
  seat.press("enter");
  expect(seat.footer()).toBe(" No event type or endpoint is called 'nobody'.");
});

test("esc goes back level by level and never out", async () => {
  const { seat } = await seated(WIDE);
  seat.press("f", "right", "enter");
  seat.type("/partner");
  seat.press("enter", "enter", "?");
  const seen: string[] = [];
  for (let i = 0; i < 6; i++) {
    seen.push(
      seat.text().includes("─ help ─")
        ? "help"
        : seat.text().includes("[1 summary]")
          ? "delivery"
          : corner(seat).split("  ")[0]!,
    );
    seat.press("esc");
  }
  expect(seen).toEqual(["help", "delivery", "pending + /partner", "pending", "all", "all"]);
  expect(seat.quits).toEqual([]);
});

test("neither esc nor x leads out of the business that the view was started with", async () => {
  const rt = createTestRuntime();
  await fillDeliveries(rt, 100);
  const other = addBusiness(rt, "other");
  const seat = openSession(rt, { ...WIDE, businessId: other.id });
  const isAtHome = () =>
    /^ deskbell 0\.1\.0 {2}other /.test(seat.text()) && seat.text().includes("No delivery yet.");
  expect(isAtHome()).toBe(true);
  seat.press("f", "right", "enter");
  expect(seat.text()).toContain("Nothing like that. esc shows all.");
  for (const keys of [["esc"], ["f", "right", "x", "enter"], ["esc", "esc", "esc"]]) {
    seat.press(...keys);
    expect(isAtHome()).toBe(true);
  }
  seat.press("f", "j", "j", "j", "right", "enter");
  expect(seat.text()).toContain("1-24 of 100");
  seat.press("esc");
  expect(isAtHome()).toBe(true);
});

test("r sends one delivery again", async () => {
  const { rt, seat } = await seated(WIDE);
  seat.press("j");
  const id = selectedId(seat);
  seat.press("r");
  await vi.waitUntil(() => seat.footer().includes("goes again"));
  expect(rt.store.deliveries.findById(id)?.status).toBe("PENDING");
  expect(seat.text()).toMatch(/▸\S+ ○ pending/);
});

test.each([
  [120, 40],
  [80, 24],
  [50, 12],
])(
  "what cannot be sent again says why, and whole what mends it, at %ix%i",
  async (columns, rows) => {
    const { rt, seat, endpoints } = await seated({ columns, rows });
    disableEndpoint(rt, endpoints[3]!, "manual");
    seat.press("j", "r");
    await vi.waitUntil(() => seat.text().includes(" fix: "));
    expect(seat.text()).toMatch(
      new RegExp(`fix:\\s+deskbell\\s+webhooks\\s+enable\\s+${endpoints[3]}$`),
    );
    expect(seat.lines().map(lineWidth)).toEqual(Array(rows).fill(columns));
    seat.press("k");
    expect(seat.footer()).toMatch(/^ j\/k move/);
  },
);

test("R sends again all that the filter finds, once their count was typed", async () => {
  const { rt, seat } = await seated(WIDE);
  seat.press("f", "right", "right", "right", "right", "enter");
  expect(corner(seat)).toContain("exhausted  1-4 of 4");
  seat.press("R", "3", "enter");
  expect(seat.footer()).toBe(" That was not the count; nothing was sent.");
  seat.press("R", "4");
  expect(seat.footer()).toContain("4 deliveries go again. Type 4 to send them: 4█");
  seat.press("enter");
  await vi.waitUntil(() => seat.footer() === " 4 go again");
  expect(rt.store.tallies.countByStatus()).toMatchObject({ PENDING: 16, EXHAUSTED: 0 });
});

test("R tells how many did not go, and why", async () => {
  const { rt, seat, endpoints } = await seated(WIDE);
  disableEndpoint(rt, endpoints[3]!, "manual");
  seat.press("f", "right", "right", "right", "right", "enter", "R", "4", "enter");
  await vi.waitUntil(() => seat.footer().includes("go again"));
  expect(seat.footer()).toMatch(/^ 0 go again, 4 do not: The endpoint of dlv_\w+ is disabled\b/);
});

test.each([
  ["SQLITE_BUSY", "Another program is writing. Try again in a moment."],
  ["SQLITE_FULL", "The disk is full. Free some space and try again."],
])(
  "when writing fails half-way with %s, R tells how many go and why the others do not",
  async (code, why) => {
    const { rt, seat } = await seated({ columns: 120 }, 1000);
    seat.press(..."flll", "enter", "R", ..."960", "enter");
    const tx = rt.tx;
    vi.spyOn(rt, "tx").mockImplementation((work) => {
      if (seat.footer().startsWith(" 400 of")) throw Object.assign(new Error(code), { code });
      return tx(work);
    });
    await vi.waitUntil(() => seat.footer().includes("go again"));
    expect(seat.footer()).toBe(` 400 go again, 560 do not: ${why}`);
  },
);

test("R on everything there is refuses", async () => {
  const { seat } = await seated();
  seat.press("R");
  expect(seat.footer()).toBe(
    " These are all deliveries there are. Narrow them first, with f or /.",
  );
});

test("t tests the endpoint of the delivery and tells what it answered", async () => {
  const posts: string[] = [];
  const { seat } = await seated({
    sendOnce: async ({ url }) => {
      posts.push(url);
      return {
        outcome: { kind: "responded", statusCode: 204, retryAfter: null, responseText: "" },
        address: "127.0.0.1",
      };
    },
  });
  seat.press("t");
  await vi.waitUntil(() => seat.footer().includes("answered"));
  expect(seat.footer()).toBe(" ✓ test answered 204 in 0 ms, from 127.0.0.1");
  expect(posts).toEqual(["http://127.0.0.1:9000/hook"]);
});

test("a test that fails tells how", async () => {
  const { seat } = await seated();
  seat.press("e", "t");
  await vi.waitUntil(() => seat.footer().includes("failed"));
  expect(seat.footer()).toBe(" ✗ test failed after 0 ms: refused: no network here");
});

test("a narrow terminal asks in few words, and shows what is typed to the end", async () => {
  const { seat } = await seated({ columns: 50, rows: 12 });
  seat.press(..."flll", "enter", "R", ..."38");
  expect(seat.footer()).toMatch(/^ 384 go again\. Type 384: 38█/);
  seat.press("esc", "/", ..."service_price.updated");
  expect(seat.footer()).toMatch(/^ search: service_price\.updated█/);
});

test("a view that ends while a test is on its way breaks the test off, and draws and reads nothing more", async () => {
  const given: (AbortSignal | undefined)[] = [];
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<SendOnce>>>();
  const { rt, seat } = await seated({
    sendOnce: (_post, givenUp) => (given.push(givenUp), promise),
  });
  seat.press("t", "q");
  seat.end();
  expect(given.map((signal) => signal?.aborted)).toEqual([true]);
  rt.close();
  const drawn = seat.draws();
  resolve({ outcome: { kind: "refused", error: "given up" }, address: null });
  await new Promise(setImmediate);
  expect(seat.draws()).toBe(drawn);
});

test("a view that ends while many are sent again reads the closed file no more", async () => {
  const { rt, seat } = await seated({}, 4000);
  seat.press(..."flll", "enter", "R");
  const [, count = ""] = /^ (\d+) deliveries go again/.exec(seat.footer()) ?? [];
  expect(Number(count)).toBeGreaterThan(200);
  seat.press(...count, "enter", "q");
  seat.end();
  rt.close();
  await new Promise(setImmediate);
});

test("y copies the id of what is selected", async () => {
  const { seat, endpoints } = await seated();
  seat.press("j", "y");
  expect(seat.footer()).toBe(" copied dlv_0000000000000000000000399");
  seat.press("enter", "y", "esc", "e", "j", "y");
  expect(seat.copied).toEqual([
    "dlv_0000000000000000000000399",
    "dlv_0000000000000000000000399",
    endpoints[1],
  ]);
});

test("enter on an endpoint shows its deliveries", async () => {
  const { seat } = await seated(WIDE);
  seat.press("e", "j", "enter");
  expect(new Set(ids(seat).map((number) => number % 4))).toEqual(new Set([1]));
});

test("enter on an endpoint shows its deliveries, also when the endpoints were opened from a delivery or the help", async () => {
  const { seat } = await seated(WIDE);
  for (const from of ["enter", "?"]) {
    seat.press(from, "e", "j", "enter");
    expect(new Set(ids(seat).map((number) => number % 4))).toEqual(new Set([1]));
    seat.press("esc");
  }
});

test("the cursor stays on its endpoint when others come before it, so that t tests the one that was chosen", async () => {
  const { rt, seat, endpoints } = await seated();
  seat.press("e", "y");
  const [first, other] = [seat.copied[0]!, endpoints.find((id) => id !== seat.copied[0])!];
  disableEndpoint(rt, other, "manual");
  seat.tick();
  expect(seat.text()).toMatch(/│ – .* disabled/);
  seat.press("y");
  expect(seat.copied).toEqual([first, first]);
});

test("a page down in a delivery's text leaves no line out", async () => {
  const { seat } = await seated({ rows: 12 });
  const place = () => /─ (\d+)-(\d+) of \d+ ─╮/.exec(seat.text())!.slice(1).map(Number);
  seat.press("j", "enter", "2");
  const [, last] = place();
  seat.press("pgdn");
  expect(place()[0]).toBe(last! + 1);
});

test("a window that is nearly shut reads no more rows than one that is open", async () => {
  const { rt, seat } = await seated();
  const limits: number[] = [];
  const page = rt.store.live.page;
  vi.spyOn(rt.store.live, "page").mockImplementation(
    (...asked) => (limits.push(asked[3]), page(...asked)),
  );
  for (const rows of [1, 2, 4, 5]) seat.resize(80, rows);
  expect(Math.min(...limits)).toBeGreaterThan(0);
});

test("in a window that shows nothing no key sends anything, and q quits from everywhere", async () => {
  const { rt, seat } = await seated();
  seat.press("/");
  seat.resize(40, 10);
  const before = rt.revision();
  seat.paste("q");
  seat.press("r", "q", "ctrl-c");
  expect(rt.revision()).toBe(before);
  expect(seat.quits).toEqual([null, "SIGINT"]);
});

test("what is pasted is text where something is typed, and elsewhere no key: it sends, tests and quits nothing", async () => {
  const { rt, seat } = await seated();
  const before = rt.revision();
  seat.paste("rtq\ny");
  expect(seat.footer()).toBe(" What is pasted is taken after / alone.");
  expect([rt.revision(), seat.quits, seat.copied]).toEqual([before, [], []]);
  seat.press("/");
  seat.paste("\nservice_price\r\nq");
  expect(seat.footer()).toMatch(/type: service_price█/);
  seat.press("enter");
  expect(seat.text()).toContain("/service_price");
});

test("of a whole file that is pasted no more is taken than can be typed: it is not drawn letter by letter", async () => {
  const { seat } = await seated();
  seat.press("/");
  seat.paste("x".repeat(1_000_000));
  expect(seat.footer()).toMatch(/type: x+█/);
});

test("the end of what is typed shows, however wide its letters are", async () => {
  const { seat } = await seated();
  seat.press("/", ..."漢".repeat(60), ..."end");
  expect(seat.footer()).toMatch(/type: 漢+end█/);
});

test.each([
  ["r", "sends nothing again"],
  ["R", "sends nothing again"],
  ["t", "sends no test"],
])("--readonly refuses %s in words", async (key, words) => {
  const { rt, seat } = await seated({ isReadonly: true });
  const before = rt.revision();
  seat.press("f", "right", "enter", key);
  expect(seat.footer()).toBe(` This view was started with --readonly: it ${words}.`);
  expect(rt.revision()).toBe(before);
});

test("q and ctrl-c quit from every screen, unless something is being typed", async () => {
  const { seat } = await seated();
  seat.press("q", "enter", "q", "?", "ctrl-c", "/", "q");
  expect(seat.quits).toEqual([null, null, "SIGINT"]);
  seat.press("ctrl-c");
  expect(seat.quits).toEqual([null, null, "SIGINT", "SIGINT"]);
});

test("a delivery that is pruned while it is looked at is said to be gone", async () => {
  const { rt, seat } = await seated();
  seat.press("j", "enter");
  rt.tx(() => rt.store.retention.pruneEvents(0, 1000, { ended: rt.now() + 1, unresolved: 0 }));
  seat.tick();
  expect(seat.text()).toContain("It is no longer on file.");
});

test("the help names every key that does something", () => {
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
