import { expect, test, vi } from "vitest";
import { toTable } from "../../../../../src/cli/output/table.ts";
import { createLog } from "../../../../../src/platform/log.ts";
import type { EndpointState } from "../../../../../src/features/live-view/store.ts";
import type { FoundDelivery } from "../../../../../src/store/webhooks/delivery-search.ts";
import { openCondition } from "../../../../../src/domain/conditions/registry.ts";
import { renderFrame } from "../../../../../src/features/live-view/views/frame.ts";
import {
  readSnapshot,
  type Snapshot,
} from "../../../../../src/features/live-view/state/snapshot.ts";
import { createTimeFormat } from "../../../../../src/features/live-view/state/time-format.ts";
import {
  createUiState,
  type UiState,
} from "../../../../../src/features/live-view/state/ui-state.ts";
import { createHostileSource, PIECES } from "../../../../support/hostile/terminal-texts.ts";
import { fillDeliveries } from "../../../../support/live-data.ts";
import { createScreen } from "../../../../support/screen.ts";
import { createTestRuntime } from "../../../../support/test-runtime.ts";
import { openViewOnTerminal, linesToText } from "../../open-view.ts";

const STRINGS = 10_000;
/** The number of rounds over all screens. Each screen shows some hundred strings. */
const ROUNDS = 12;

const hostile = Array.from({ length: STRINGS }, createHostileSource().draw);

/**
 * Writes texts to a terminal, and returns all side effects besides printed characters. Each text
 * must end on line `endsAt`.
 */
async function findSideEffects(
  columns: number,
  rows: number,
  texts: readonly string[],
  endsAt: number,
): Promise<unknown[]> {
  const screen = createScreen(columns, rows);
  await screen.write("\x1b[?1049h\x1b[?25l");
  const modes = JSON.stringify(screen.modes());
  const endLines = new Set<number>();
  screen.terminal.parser.registerCsiHandler({ final: "H" }, () => {
    endLines.add(screen.cursor().y);
    return false;
  });
  await screen.write(texts.map((text) => `${text}\x1b[H`).join(""));
  return [
    ...screen.sideEffects,
    ...(JSON.stringify(screen.modes()) === modes ? [] : ["other modes"]),
    ...[...endLines].filter((y) => y !== endsAt).map((y) => `on line ${y}`),
  ];
}

test("hostile strings that are not sanitized have side effects on a terminal", async () => {
  const done = await findSideEffects(80, 24, hostile, 0);
  expect(done).toEqual(
    expect.arrayContaining(["title owned", "bell", "OSC 52 c;ZXZpbA==", "other modes"]),
  );
});

const PROMPTS: ((text: string) => UiState["prompt"])[] = [
  () => null,
  (text) => ({ kind: "search", typed: text.slice(0, 100) }),
  (text) => ({ kind: "command", typed: text.slice(0, 100) }),
  (text) => ({ kind: "enable", endpoint: { id: "whe_1", name: text }, typed: "" }),
  (text) => ({ kind: "confirm", question: text, effect: { type: "newest" } }),
];

test("10,000 hostile strings in every part of the view have no side effects and keep line widths", async () => {
  const rt = createTestRuntime();
  await fillDeliveries(rt, 100);
  const settings = { version: "0.1.0", timeFormat: createTimeFormat("UTC"), isAscii: false };
  const size = { columns: 120, rows: 40 };
  let at = 0;
  const draw = () => hostile[at++ % STRINGS]!;
  const base = readSnapshot(
    rt,
    {
      ...createUiState(false, undefined),
      screens: [
        { kind: "list" },
        { kind: "delivery", id: "dlv_0000000000000000000000100", tab: 0, scroll: 0 },
      ],
    },
    24,
    { isDaemonRunning: true, conditions: [] },
  );
  const screens: UiState["screens"][] = [
    [{ kind: "list" }],
    [{ kind: "endpoints", selected: null }],
    [{ kind: "day", offset: 0, selected: null }],
    [{ kind: "conditions", scroll: 0 }],
    [{ kind: "list" }, { kind: "filter", row: 1 }],
    [{ kind: "secret", endpoint: { id: "whe_1", name: draw() }, secret: "whsec_1", oldEndsAt: 0 }],
    [{ kind: "list" }, { kind: "curl", id: draw(), scroll: 0 }],
    ...[0, 1, 2, 3].map((tab): UiState["screens"] => [
      { kind: "list" },
      { kind: "delivery", id: draw(), tab, scroll: 3 },
    ]),
  ];
  const frames: string[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of screens) {
      const filter = { endpointId: draw() };
      const ui: UiState = {
        ...createUiState(false, undefined),
        screens: kind,
        filter,
        search: { text: draw(), filter: {} },
        feedback: { text: draw(), tone: "bad" },
        prompt: PROMPTS[at % PROMPTS.length]!(draw()),
      };
      const { lines } = renderFrame(ui, withHostileStrings(base, draw), size, settings);
      frames.push(linesToText(lines).replaceAll("\n", "\r\n"));
    }
  expect(at).toBeGreaterThanOrEqual(STRINGS);
  expect(frames.join("")).not.toMatch(
    /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]|\p{Cf}|\p{Zl}|\p{Zp}/u,
  );
  expect(await findSideEffects(120, 40, frames, 39)).toEqual([]);
});

test("10,000 hostile strings in a table have no side effects", async () => {
  const columns = [
    { title: "NAME", value: (text: string) => text },
    { title: "URL", value: (text: string) => text, whole: true as const },
  ];
  const lines = hostile.map((text) => toTable([text], columns, 80)[1]!);
  expect(await findSideEffects(1200, 10, lines, 0)).toEqual([]);
});

test("10,000 hostile strings in a pretty log have no side effects and stay on one line", async () => {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  const log = createLog("pretty", () => 0);
  for (const text of hostile) log("warn", "attempt", { error: text });
  write.mockRestore();
  expect(written).toHaveLength(STRINGS);
  expect(written.every((line) => line.indexOf("\n") === line.length - 1)).toBe(true);
  expect(await findSideEffects(1200, 10, written, 1)).toEqual([]);
});

test("hostile endpoint names have no side effects on a terminal and keep the border intact", async () => {
  const rt = createTestRuntime();
  const endpoints = await fillDeliveries(rt, 100);
  rt.tx(() => {
    for (const [i, id] of endpoints.entries()) {
      const endpoint = rt.store.endpoints.findById(id)!;
      rt.store.endpoints.update(
        id,
        {
          ...endpoint,
          name: PIECES.slice(i * 9, i * 9 + 9).join(""),
          url: `http://x/${hostile[i]}`,
        },
        rt.now(),
      );
    }
  });
  const terminal = await openViewOnTerminal(rt, 80, 24);
  const steps: [string, RegExp][] = [
    ["e", /─ endpoints ─/],
    ["\x1b", /─ deliveries ─/],
    ["\r", /\[1 summary\]/],
    ["2", /\[2 request\]/],
    ["\x1b", /─ deliveries ─/],
    ["f", /─ filter ─/],
    ["j\x1b[C", /▸endpoint +← [^a]/],
  ];
  for (const [keys, shown] of steps) {
    terminal.type(keys);
    await terminal.shows(shown);
    const framed = terminal
      .text()
      .split("\n")
      .filter((line) => /^[│╭╰]/.test(line));
    expect(framed.length).toBeGreaterThan(15);
    expect(framed.filter((line) => !/[│╮╯]$/.test(line))).toEqual([]);
  }
  expect(terminal.sideEffects).toEqual([]);
  expect(terminal.modes().buffer).toBe("alternate");
});

/** Replaces each external string of a snapshot by a hostile one. */
function withHostileStrings(snapshot: Snapshot, draw: () => string): Snapshot {
  const row = (original: FoundDelivery): FoundDelivery => ({
    ...original,
    eventType: draw() as FoundDelivery["eventType"],
    url: draw(),
    endpointName: draw(),
    businessSlug: draw(),
    lastStatusCode: null,
    lastError: draw(),
  });
  const endpoint = (original: EndpointState): EndpointState => ({
    ...original,
    name: draw(),
    url: draw(),
    status: "DISABLED",
    disabledReason: draw(),
    failingSince: 0,
    lastError: draw(),
  });
  const { detail } = snapshot;
  return {
    ...snapshot,
    daemon: { url: draw(), startedAt: 0 },
    conditions: [
      openCondition("endpoint.failing", draw(), draw(), { business: null }),
      openCondition("storage.gone", draw(), draw()),
    ],
    businesses: [{ id: "biz", slug: draw() }],
    endpoints: snapshot.endpoints.map(endpoint),
    list: { ...snapshot.list, rows: snapshot.list.rows.map(row) },
    day: {
      dates: ["2026-11-20"],
      hasSeveralBusinesses: true,
      visits: Array.from({ length: 20 }, (_, n) => ({
        id: `bkg_${n}`,
        type: "booking",
        status: "CONFIRMED",
        startsAt: 0,
        endsAt: 0,
        guest: draw(),
        guests: 1,
        service: draw(),
        staff: draw(),
        isStaffAway: false,
        place: draw(),
        slug: draw(),
        timezone: "UTC",
        teller: "nobody",
      })),
    },
    detail: detail && {
      takenAt: detail.takenAt,
      row: row(detail.row),
      event: detail.event && { ...detail.event, body: Buffer.from(draw()) },
      attempts: detail.attempts.map((attempt) => ({
        ...attempt,
        error: draw(),
        statusCode: null,
        responseText: draw(),
      })),
    },
  };
}
