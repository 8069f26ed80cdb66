import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { grants, isWellFormed, generateApiKey } from "../../src/domain/api-key.ts";

test("an API key begins with its kind, and ends with 38 letters and digits", () => {
  expect(generateApiKey("SECRET", randomBytes)).toMatch(/^deskbell_sk_[0-9A-Za-z]{38}$/);
  expect(generateApiKey("RESTRICTED", randomBytes)).toMatch(/^deskbell_rk_[0-9A-Za-z]{38}$/);
});

test("the random part of an API key uses all 62 characters evenly", () => {
  const seen = new Map<string, number>();
  for (let i = 0; i < 1000; i++)
    for (const char of generateApiKey("SECRET", randomBytes).slice(12, 44))
      seen.set(char, (seen.get(char) ?? 0) + 1);
  expect(seen.size).toBe(62);
  // Each character is expected about 516 times, with a standard deviation of 22.5.
  for (const count of seen.values()) expect(Math.abs(count - 516)).toBeLessThan(23 * 6);
});

test("a single wrong character makes an API key malformed", () => {
  const key = generateApiKey("SECRET", randomBytes);
  expect(isWellFormed(key)).toBe(true);
  for (let i = 0; i < key.length; i++) {
    const other = key[i] === "x" ? "y" : "x";
    expect(isWellFormed(key.slice(0, i) + other + key.slice(i + 1)), `character ${i}`).toBe(false);
  }
});

test.each([
  "",
  "deskbell_sk_",
  "deskbell_xk_aaaa",
  `deskbell_sk_${"é".repeat(38)}`,
  `deskbell_sk_${"a".repeat(100_000)}`,
])("a malformed API key is recognised (%#)", (text) => expect(isWellFormed(text)).toBe(false));

test.each([
  { scopes: [], needed: "services.read", granted: false },
  { scopes: ["services.read"], needed: "services.read", granted: true },
  { scopes: ["services.read"], needed: "webhooks.read", granted: false },
  { scopes: ["webhooks.write"], needed: "webhooks.read", granted: true },
  { scopes: ["webhooks.read"], needed: "webhooks.write", granted: false },
  { scopes: ["bookings.manage"], needed: "bookings.read", granted: true },
  { scopes: ["bookings.manage"], needed: "guests.read", granted: false },
  { scopes: ["bookings.write"], needed: "bookings.read", granted: false },
] as const)("the scopes $scopes grant $needed: $granted", ({ scopes, needed, granted }) =>
  expect(grants({ scopes }, needed)).toBe(granted),
);
