import { expect, test } from "vitest";
import { parseKeys } from "../../../../src/features/live-view/state/keys.ts";

test.each<[string, string, Parameters<typeof parseKeys>[1], string[]]>([
  ["a letter", "j", {}, ["j"]],
  ["several keys in one chunk", "jjR", {}, ["j", "j", "R"]],
  ["a pasted line", "evt_1\r", {}, ["e", "v", "t", "_", "1", "enter"]],
  ["a tab between letters", "en\ta", {}, ["e", "n", "right", "a"]],
  ["letters beyond the first plane", "𝒳é", {}, ["𝒳", "é"]],
  ["control characters in a paste", "a\x00\x07b", {}, ["a", "b"]],
  ["an arrow", "", { upArrow: true }, ["up"]],
  ["enter", "\r", { return: true }, ["enter"]],
  ["esc", "", { escape: true }, ["esc"]],
  ["esc and another key in one chunk", "/", { meta: true }, ["esc", "/"]],
  ["backspace as most terminals send it", "", { delete: true }, ["backspace"]],
  ["tab", "\t", { tab: true }, ["right"]],
  ["tab backwards", "", { tab: true, shift: true }, ["left"]],
  ["ctrl-c", "c", { ctrl: true }, ["ctrl-c"]],
  ["another control key", "d", { ctrl: true }, []],
])("parseKeys splits %s into keys", (_name, input, key, keys) => {
  expect(parseKeys(input, key)).toEqual(keys);
});
