import { expect, test } from "vitest";
import { outsideLine } from "../../src/domain/basic-schemas.ts";
import { customerFields } from "../../src/domain/bookings/customer.ts";
import { countOf, safe } from "../../src/domain/text.ts";

test.each([
  ["Persian", "می\u200cخواهم"],
  ["Sinhala", "ශ්\u200dරී ලංකා"],
  ["an emoji sequence", "👩\u200d🍳 and 🏳️\u200d🌈"],
])("text that is made safe keeps the joiners within words: %s", (_, text) => {
  expect(safe(text)).toBe(text);
});

test.each([
  ["a joiner before a word", "\u200cword"],
  ["a joiner after a word", "word\u200d"],
  ["a joiner between words", "two \u200d words"],
  ["two joiners", "a\u200d\u200db"],
  ["a zero-width space", "a\u200bb"],
  ["a bidirectional override", "a\u202eb"],
  ["a C1 control", "a\u0085b"],
  ["a line separator", "a\u2028b"],
  ["half a surrogate pair", "a\ud800b"],
])("text that is made safe shows %s as U+FFFD", (_, text) => {
  expect(safe(text)).toMatch(/\ufffd/);
  expect(safe(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
});

test.each([
  [1, "key", "1 key"],
  [2, "key", "2 keys"],
  [2, "entry", "2 entries"],
  [3, "dish", "3 dishes"],
  [2, "business", "2 businesses"],
])("the plural of a noun follows English spelling: %i %s", (count, noun, expected) => {
  expect(countOf(count, noun)).toBe(expected);
});

test.each([
  ["a bidirectional override", "Ana \u202e"],
  ["a zero-width space", "A\u200bna"],
  ["a tag character", "Ana\u{e0041}"],
  ["a line separator", "An\u2028a"],
  ["a control character", "Ana\u0007"],
])("a guest's name, reference and notes may not contain %s", (_, text) => {
  expect(outsideLine(200).safeParse(text).success).toBe(false);
  expect(customerFields().partial().safeParse({ name: text }).success).toBe(false);
  expect(customerFields().partial().safeParse({ notes: text }).success).toBe(false);
});

test("a guest's notes may have several lines, and a guest's name may have joiners within words", () => {
  expect(customerFields().partial().safeParse({ notes: "no nuts\n\tor seeds" }).success).toBe(true);
  expect(outsideLine(200).safeParse("می\u200cخواهم").success).toBe(true);
});
