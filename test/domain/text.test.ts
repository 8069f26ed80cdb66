import { expect, test } from "vitest";
import { outsideLine } from "../../src/domain/basic-schemas.ts";
import { customerFields } from "../../src/domain/bookings/customer.ts";
import { countOf, safe, redactSecrets } from "../../src/domain/text.ts";
import { generateSecret, sign, signingKey } from "../../src/domain/webhooks/webhook-post.ts";

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

const secret = generateSecret((bytes) => Buffer.alloc(bytes, 7));
const other = generateSecret((bytes) => Buffer.alloc(bytes, 9));
// Headers have two signatures of each kind during a rotation.
const headers = sign(
  [signingKey(secret), signingKey(other)],
  "evt_1",
  1_763_615_045,
  Buffer.from("{}"),
);
const hex = [...headers["X-Service-Signature"].matchAll(/v1=(\w+)/g)].map(([, text = ""]) => text);
const base64 = [...headers["webhook-signature"].matchAll(/v1,(\S+)/g)].map(([, text = ""]) => text);

const encodings: { how: string; write: (text: string) => string }[] = [
  { how: "as plain text", write: (text) => text },
  { how: "in JSON", write: JSON.stringify },
  { how: "in PHP's JSON", write: (text) => JSON.stringify(text).replaceAll("/", "\\/") },
  { how: "in Gson's JSON", write: (text) => JSON.stringify(text).replaceAll("=", "\\u003d") },
  { how: "in a URL", write: encodeURIComponent },
  { how: "in capitals", write: (text) => text.toUpperCase() },
];

test.each(encodings)("signatures and secrets echoed $how are redacted", ({ write }) => {
  expect([hex.length, base64.length]).toEqual([2, 2]);
  const sent = `${Object.values(headers).join(" ")} ${secret} deskbell_sk_0123abc deskbell_cal_89abcdef`;
  const kept = redactSecrets(`You said ${write(sent)}.`);
  for (const text of [...hex, ...base64, secret.slice(6), "0123abc", "89abcdef"]) {
    expect(kept).not.toContain(write(text).replaceAll('"', ""));
    // A prefix of a secret is not kept either.
    expect(kept).not.toContain(write(text).replaceAll('"', "").slice(0, 12));
  }
  expect(kept).toMatch(/^You said .*\.$/);
});

test("truncated signatures and secrets are redacted", () => {
  expect(redactSecrets(`v1=${hex[0]?.slice(0, 20)}`)).toBe("v1=…");
  expect(redactSecrets(`v1,${base64[0]?.slice(0, 20)}`)).toBe("v1,…");
  expect(redactSecrets(secret.slice(0, 20))).toBe("whsec_…");
});

test.each([
  "",
  "ok",
  '{"ok":true,"api":"v1","next":"/v1/orders?v1=2"}',
  "set your whsec_… first",
  "t=1763615045 sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
])("text without a secret is not changed by the redaction: %j", (text) => {
  expect(redactSecrets(text)).toBe(text);
});

test("long hostile responses are redacted within two seconds of CPU time", () => {
  // CPU time is measured, because other programs may use the machine too.
  const before = process.threadCpuUsage();
  for (const piece of ["v1,", "v1=", "whsec_", "v1,\\/", "v1%3", "%2", "whsec_%2"])
    redactSecrets(piece.repeat(100_000));
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2000);
});
