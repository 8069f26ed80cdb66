import { fc, unicodeText } from "../property.ts";

/** Texts that often break parsers. */
export const HOSTILE_TEXTS = [
  "",
  " ",
  "0",
  "-1",
  "1e309",
  "NaN",
  "null",
  "undefined",
  "true",
  "1/0",
  "0x10",
  "00000000000000000000001",
  "501",
  "2026-02-30",
  "2026-11-20",
  "2026-13-01T00:00",
  "9999-12-31T23:59:59Z",
  "-271821-04-20",
  "2026-11-01T01:30",
  "2026-03-08T02:30",
  "' OR 1=1 --",
  "%",
  "%00",
  "%zz",
  "\u0000",
  "\ud800",
  "\u202e",
  "\u{1f4a9}",
  "../../etc/passwd",
  "<script>",
  "${7*7}",
  "{{7*7}}",
  "a".repeat(5000),
  "[",
  "{}",
  "[]",
  "__proto__",
  "svc_",
  "c1_x",
  "WyJhIiwxLCJiIl0",
  "0.aaaaaaaaaa",
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  unicodeText(60),
);

/** Encodes a text for a URL, but keeps the malformed escape `%zz`. */
export const encodeForUrl = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll("%25zz", "%zz");
