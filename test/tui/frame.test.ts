import { expect, test } from "vitest";
import { lineWidth } from "../../src/tui/cells.ts";
import { addBusiness } from "../support/delivery.ts";
import { fillDeliveries } from "../support/live-data.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { openViewOnTerminal, openSession } from "../support/live-view.ts";

async function filled(deliveries = 400) {
  const rt = createTestRuntime();
  await fillDeliveries(rt, deliveries);
  rt.store.live.saveDaemon({ url: "http://127.0.0.1:4100", startedAt: rt.now() - 274_320_000 });
  return rt;
}

test.each([
  [80, 24],
  [120, 40],
])("the main screen at %ix%i, through ink on a terminal", async (columns, rows) => {
  const terminal = await openViewOnTerminal(await filled(), columns, rows);
  await expect(terminal.text()).toMatchFileSnapshot(`frames/main-${columns}x${rows}.txt`);
});

const SCREENS: {
  name: string;
  keys: string[];
  columns?: number;
  rows?: number;
  isAscii?: boolean;
}[] = [
  { name: "smallest", keys: [], columns: 50, rows: 12 },
  { name: "too-small", keys: [], columns: 49, rows: 12 },
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
  { name: "help", keys: ["?"] },
  { name: "typing-narrow", keys: [..."/menu_item"], columns: 50, rows: 12 },
  { name: "help-narrow", keys: ["?"], columns: 50, rows: 24 },
  { name: "help-ascii", keys: ["?"], isAscii: true },
];

test.each(SCREENS)("the screen $name", async ({ name, keys, ...options }) => {
  const seat = openSession(await filled(), options);
  seat.press(...keys);
  await expect(seat.text().replace(/whe_\w{25}/g, "whe_…")).toMatchFileSnapshot(
    `frames/${name}.txt`,
  );
});

test("a view without any delivery says what will bring one", () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  expect(openSession(rt).text()).toContain("No delivery yet.");
});

test.each([false, true])(
  "every screen fills every size from 50x12 to 200x60 exactly, in ASCII: %s",
  async (isAscii) => {
    const rt = await filled(100);
    const wrong: string[] = [];
    for (const { name, keys } of SCREENS) {
      const seat = openSession(rt, { isAscii });
      seat.press(...keys);
      for (let columns = 50; columns <= 200; columns += 7)
        for (let rows = 12; rows <= 60; rows += 8) {
          seat.resize(columns, rows);
          if (isAscii) expect(seat.text()).toMatch(/^[\n\x20-\x7e]*$/);
          const widths = new Set(seat.lines().map(lineWidth));
          if (seat.lines().length !== rows || widths.size !== 1 || !widths.has(columns))
            wrong.push(
              `${name} ${columns}x${rows}: ${seat.lines().length} lines of ${[...widths].join(", ")}`,
            );
        }
    }
    expect(wrong).toEqual([]);
  },
);

test("in a narrow window the address goes before what is wrong and the time", async () => {
  const rt = await filled(8);
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
  "an %s gives the terminal back before it is told: on the alternate screen nobody would read it",
  async (bug) => {
    const terminal = await openViewOnTerminal(await filled(8), 80, 24);
    const [first] = process.listeners(bug as "uncaughtException");
    first!(new Error("a bug"), "uncaughtException");
    await terminal.write("");
    expect(terminal.modes()).toEqual(terminal.before);
    expect(process.listeners(bug as "uncaughtException")).not.toContain(first);
  },
);

test("a terminal that is resized is filled again, also when it was too small in between", async () => {
  const terminal = await openViewOnTerminal(await filled(), 120, 40);
  terminal.resize(40, 10);
  await terminal.shows(/It needs 50x12, this is 40x10/);
  terminal.resize(80, 24);
  await terminal.shows(/╰─+╯\n j\/k move/);
  expect(terminal.text().split("\n")[1]).toBe(`╭─ last 60 min ${"─".repeat(48)} 1 col = 1 min ─╮`);
});

test("a terminal that marks what is pasted hands it over as text", async () => {
  const terminal = await openViewOnTerminal(await filled(8), 80, 24);
  expect(terminal.modes().bracketedPasteMode).toBe(true);
  terminal.type("\x1b[200~q\x1b[201~");
  await terminal.shows(/What is pasted is taken after \/ alone\./);
  terminal.type("/\x1b[200~booking\x1b[201~");
  await terminal.shows(/type: booking/);
});

test("a view that is closed leaves the terminal as it was", async () => {
  const terminal = await openViewOnTerminal(await filled(), 80, 24);
  expect(terminal.modes().buffer).toBe("alternate");
  terminal.type("q");
  expect(await terminal.view.ended).toBeNull();
  terminal.view.close();
  await terminal.write("");
  expect(terminal.modes()).toEqual(terminal.before);
  expect(terminal.text().trim()).toBe("");
});
