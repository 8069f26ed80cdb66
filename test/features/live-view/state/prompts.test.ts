import { expect, test } from "vitest";
import { ACTIONS } from "../../../../src/features/live-view/state/actions.ts";
import { fillDeliveries } from "../../../support/live-data.ts";
import { openSession } from "../open-view.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

async function openView(options: Parameters<typeof openSession>[1] = {}) {
  const rt = createTestRuntime();
  await fillDeliveries(rt, 40);
  return { rt, view: openSession(rt, options) };
}

test("typing narrows the list of commands, and tab completes their common beginning", async () => {
  const { view } = await openView();
  view.press(":");
  expect(view.text()).toMatch(/redeliver +r +redeliver the delivery or [^]*and \d+ more/);
  view.type("re");
  expect(view.text()).not.toContain("rotate-secret");
  view.press("right");
  expect(view.footer()).toMatch(/^ :redeliver█/);
  view.type("-");
  view.press("right");
  expect(view.footer()).toMatch(/^ :redeliver-all █/);
  view.press("esc");
  expect(view.footer()).toMatch(/^ ⏎ open/);
});

test.each([
  [
    "an unknown name",
    ":delete",
    "There is no command 'delete' on this screen. Press : to see all.",
  ],
  ["an ambiguous beginning", ":e", "'e' is ambiguous: enable, endpoints."],
  ["an argument that is not taken", ":pause 5", "pause takes no argument."],
])("a command of the live view with %s shows what is wrong", async (_name, typed, feedback) => {
  const { view } = await openView();
  view.type(typed);
  view.press("enter");
  expect(view.footer()).toBe(` ${feedback}`);
});

test("a command of the live view asks for a missing argument, and ignores blanks", async () => {
  const { view } = await openView();
  view.type(":sin");
  view.press("enter");
  expect(view.footer()).toMatch(/^ :since █/);
  view.type("  1h ");
  view.press("enter");
  expect(view.text()).toContain("last 1h");
  view.type(": ");
  view.press("enter");
  expect(view.footer()).toMatch(/^ ⏎ open/);
});

test("a screen without a selected delivery or endpoint offers no commands for them", async () => {
  const { view } = await openView();
  view.press("p", ":");
  expect(view.text()).toMatch(/redeliver-all[^]*problems[^]*quit/);
  expect(view.text()).not.toMatch(/disable|curl/);
  view.type("disable");
  view.press("enter");
  expect(view.footer()).toMatch(/^ There is no command 'disable' on this screen/);
});

test("the flag --readonly refuses every command that changes something", async () => {
  const { rt, view } = await openView({ isReadonly: true });
  const before = rt.revision();
  const changing = ACTIONS.filter(({ changes }) => changes !== undefined);
  expect(changing.map(({ name }) => name)).toEqual([
    "redeliver",
    "redeliver-all",
    "test",
    "enable",
    "disable",
    "rotate-secret",
    "approve",
    "decline",
    "move",
    "complete",
    "no-show",
  ]);
  for (const { name, isOnVisit } of changing) {
    if (isOnVisit && !view.text().includes("No visits")) view.press("d");
    view.type(`:${name}`);
    view.press("enter");
    expect(view.footer()).toMatch(/^ This view was started with --readonly: .* disabled\.$/);
  }
  expect(rt.revision()).toBe(before);
});

test("each action of the live view has its own key and name", () => {
  const keys = ACTIONS.flatMap(({ key }) => key ?? []);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(ACTIONS.map(({ name }) => name)).size).toBe(ACTIONS.length);
});
