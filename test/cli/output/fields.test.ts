import { expect, test } from "vitest";
import { toFields } from "../../../src/cli/output/fields.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";

test("what is short is a line a field", () => {
  expect(
    toFields({ id: "key_1", gone: undefined, at: null, limits: { minute: 60, hour: null } }, 80),
  ).toEqual(["id      key_1", "at      ", "limits  minute 60"]);
});

test("a list of words is wrapped beside its name; none of them is broken", () => {
  expect(
    toFields(
      { id: 1, scopes: ["alpha", "beta", "a-very-long-word-of-its-own", "x"], none: [] },
      20,
    ),
  ).toEqual([
    "id      1",
    "scopes  alpha beta",
    "        a-very-long-word-of-its-own",
    "        x",
    "none",
  ]);
});

test("objects in a list begin a line each, and what is too long of them goes on further in", () => {
  const attempts = [
    { n: 1, outcome: "refused", statusCode: null, error: "ECONNREFUSED" },
    {
      n: 2,
      outcome: "responded",
      statusCode: 200,
      tags: ["a", "b"],
      images: [],
      error: "",
      more: {},
    },
  ];
  expect(toFields({ id: "dlv_1", attempts }, 40)).toEqual([
    "id        dlv_1",
    "attempts",
    "  n 1  outcome refused",
    "    error ECONNREFUSED",
    "  n 2  outcome responded  statusCode 200",
    '    tags ["a","b"]',
  ]);
});

test("an object that is too long for a line has its fields below its name", () => {
  expect(
    toFields({ type: "x", data: { action: "updated", object: { id: "svc_1", name: "Cut" } } }, 30),
  ).toEqual(["type  x", "data", "  action  updated", "  object  id svc_1  name Cut"]);
});

test("nothing of an object can break out of its place", () => {
  const lines = toFields({ "a\n": ["\u001b[2J"], b: [{ "c\u0007": "\r" }] }, 80);
  expect(lines.join("")).not.toMatch(/[\x00-\x1f]/);
});

test("a pipe and a program get each field on one line, as it is", async () => {
  const dataDir = `${createTempFolder()}/data`;
  const { deskbell } = createTerminal({ dataDir });
  await deskbell("seed salon");
  await deskbell("webhooks add --name till --url http://127.0.0.1:9/ --event all --allow-private");
  expect((await deskbell("webhooks show till")).stdout).toMatch(
    /^events\t\["catalog\.changed",.*\]$/m,
  );
  const shown = (
    await createTerminal({ isTTY: true, dataDir }).deskbell("webhooks show till")
  ).stdout.split("\n");
  expect(shown.find((line) => line.startsWith("events "))).toMatch(/^events +catalog\.changed /);
  expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(100);
});
