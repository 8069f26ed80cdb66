import { expect, test } from "vitest";
import { toFields } from "../../../src/cli/output/fields.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { SALON } from "../../support/samples.ts";

test("a field that fits the terminal is one line", () => {
  expect(
    toFields({ id: "key_1", gone: undefined, at: null, limits: { minute: 60, hour: null } }, 80),
  ).toEqual(["id      key_1", "at      ", "limits  minute 60"]);
});

test("a list of words is wrapped next to the name of its field, without splitting a word", () => {
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

test("each object of a list starts a line, and its continuation lines are indented", () => {
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

test("the fields of an object that does not fit one line are listed below its name", () => {
  expect(
    toFields({ type: "x", data: { action: "updated", object: { id: "svc_1", name: "Cut" } } }, 30),
  ).toEqual(["type  x", "data", "  action  updated", "  object  id svc_1  name Cut"]);
});

test("control characters in names and values of fields are escaped", () => {
  const lines = toFields({ "a\n": ["\u001b[2J"], b: [{ "c\u0007": "\r" }] }, 80);
  expect(lines.join("")).not.toMatch(/[\x00-\x1f]/);
});

test("webhooks show prints each field on one line, within the width of a terminal", async () => {
  const dataDir = `${createTempFolder()}/data`;
  const { deskbell } = createTerminal({ dataDir });
  await deskbell(`catalog apply ${SALON}`);
  await deskbell(
    "webhooks create --name till --url http://127.0.0.1:9/ --event all --allow-private",
  );
  expect((await deskbell("webhooks show till")).stdout).toMatch(/^events\tall$/m);
  const shown = (
    await createTerminal({ isTTY: true, dataDir }).deskbell("webhooks show till")
  ).stdout.split("\n");
  expect(shown.find((line) => line.startsWith("events "))).toMatch(/^events +all$/);
  expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(100);
});
