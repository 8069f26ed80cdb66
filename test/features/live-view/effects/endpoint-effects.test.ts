import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { disableEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { fillDeliveries } from "../../../support/live-data.ts";
import { openSession, openViewOnTerminal } from "../open-view.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { WAITS } from "../../../support/waits.ts";

async function openEndpoints(options: Parameters<typeof openSession>[1] = {}) {
  const rt = createTestRuntime();
  await fillDeliveries(rt, 400);
  const view = openSession(rt, options);
  view.press("e", "y");
  const [id = ""] = view.copied;
  const endpoint = () => rt.store.endpoints.findById(id)!;
  const shows = (pattern: RegExp) => vi.waitUntil(() => pattern.test(view.text()), WAITS);
  return { rt, view, id, endpoint, shows };
}

const actionsOf = (rt: ReturnType<typeof createTestRuntime>) =>
  rt.store.audit.list({}, 10).map(({ action }) => action);

test("the key D disables the endpoint only after a separate y, and shows the parked deliveries", async () => {
  const { rt, view, endpoint, shows } = await openEndpoints();
  view.press("D");
  view.resize(120, 40);
  view.resize(50, 12);
  expect(view.text()).toMatch(/\n Disable 'partner'\? Its [^]*\n y confirms, esc cancels$/);
  view.resize(80, 24);
  view.paste("y");
  view.press("x", "enter", "esc");
  expect(endpoint().status).toBe("ACTIVE");
  view.press("D", "y");
  expect(endpoint().status).toBe("ACTIVE");
  view.press("y");
  await shows(/Disabled 'partner'\. Parked: 4 deliveries\./);
  expect(endpoint()).toMatchObject({ status: "DISABLED", disabledReason: "manual" });
  expect(view.text()).toMatch(/▸– partner .* disabled +4 parked/);
  expect(actionsOf(rt)).toContain("endpoint.disabled");
});

test.each([
  ["enter", [], "to send: 4; cancelled: 0"],
  ["none", [..."none"], "to send: 0; cancelled: 4"],
  [
    "a time at the business",
    [..."11:00"],
    "to send, of events since\\s+2026-11-19T11:00:00-05:00: 4; cancelled: 0",
  ],
])(
  "the key E enables the endpoint, and %s decides which parked deliveries are sent",
  async (_name, typed, result) => {
    const { rt, view, id, endpoint, shows } = await openEndpoints();
    disableEndpoint(rt, id, "manual");
    view.tick();
    view.press("E", ...typed, "enter");
    await shows(new RegExp(`Enabled 'partner'\\. Parked deliveries ${result}\\.`));
    expect(endpoint()).toMatchObject({ status: "ACTIVE" });
  },
);

test("the live view's command enable changes nothing if its argument is neither all nor none nor a time", async () => {
  const { rt, view, id, endpoint, shows } = await openEndpoints();
  disableEndpoint(rt, id, "manual");
  view.type(":enable soon");
  view.press("enter");
  await shows(/since 'soon'\. fix: use all, none,/);
  expect(endpoint().status).toBe("DISABLED");
});

test("the key r on an endpoint redelivers its failed deliveries after their count is typed", async () => {
  const { view, shows } = await openEndpoints();
  view.press("r");
  const [, count = ""] = /Redeliver (\d+) deliveries\?/.exec(view.footer()) ?? [];
  expect(count).toBe("4");
  view.press(count, "enter");
  await shows(/4 deliveries queued for redelivery/);
});

test("the live view reports that another program is writing, and changes nothing", async () => {
  const { rt, view, endpoint, shows } = await openEndpoints();
  const busy = new Database.SqliteError("busy", "SQLITE_BUSY");
  vi.spyOn(rt, "tx").mockImplementation(() => {
    throw busy;
  });
  view.press("S");
  view.press("y");
  await shows(/Another program is writing\. Try again in a moment\./);
  expect(endpoint().version).toBe(1);
});

test("the key S shows the new secret until the user confirms having saved it", async () => {
  const { rt, view, shows } = await openEndpoints({ columns: 60, rows: 12 });
  view.press("S");
  view.press("y");
  await shows(/whsec_/);
  const secret = /^whsec_\S+/m.exec(view.text())?.[0] ?? "";
  expect(view.text()).not.toContain("│");
  for (const key of ["e", "/", ":", "j", "r", "esc"]) view.press(key);
  expect(view.text()).toContain(secret);
  expect(view.footer()).toBe(" y confirms, esc cancels");
  view.press("esc", "y");
  expect(view.copied.at(-1)).toBe(secret);
  view.resize(120, 40);
  expect(view.text()).toContain(secret);
  view.press("enter");
  view.press("y");
  expect(view.text()).not.toContain("whsec_");
  view.press("S");
  view.press("y");
  await shows(/is not finished: [^]* fix: +deskbell webhooks rotate-secret\s+\S+\s+--finish/);
  expect(actionsOf(rt)).toContain("endpoint.secret_rotated");
});

test("quitting removes a shown secret even from a terminal that keeps the last frame", async () => {
  const rt = createTestRuntime();
  await fillDeliveries(rt, 8);
  const terminal = await openViewOnTerminal(rt, 80, 24);
  const keepsFrame = terminal.terminal.parser.registerCsiHandler(
    { prefix: "?", final: "l" },
    ([mode]) => mode === 1049,
  );
  terminal.type("e");
  await terminal.shows(/─ endpoints ─/);
  terminal.type("S");
  await terminal.shows(/y confirms/);
  terminal.type("y");
  await terminal.shows(/whsec_/);
  terminal.type("\x03");
  expect(await terminal.view.ended).toBe("SIGINT");
  terminal.view.close();
  await terminal.write("");
  expect(terminal.modes().buffer).toBe("alternate");
  expect(terminal.text()).not.toContain("whsec_");
  keepsFrame.dispose();
});
