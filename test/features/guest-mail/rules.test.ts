import { expect, test } from "vitest";
import {
  classifyError,
  expiryOf,
  limitsOf,
  pauseAfter,
  retryDelay,
  withoutAddresses,
} from "../../../src/features/guest-mail/rules.ts";

test.each([
  [
    { code: "ECONNECTION", command: "CONN" },
    { kind: "server", reason: "the mail server does not answer" },
  ],
  [
    { code: "ETIMEDOUT", command: "CONN" },
    { kind: "server", reason: "the mail server does not answer" },
  ],
  [
    { code: "EAUTH", command: "AUTH PLAIN", responseCode: 535 },
    { kind: "server", reason: "the mail server refuses mail: 535" },
  ],
  // The URL of the mail server has a user without a password.
  [
    { code: "EAUTH", command: "API" },
    { kind: "server", reason: "the mail server does not answer" },
  ],
  [
    {
      code: "EENVELOPE",
      command: "RCPT TO",
      responseCode: 550,
      response: "550 5.1.1 <a@b.example> no",
    },
    { kind: "permanent", reason: "550 5.1.1" },
  ],
  [
    {
      code: "EENVELOPE",
      command: "RCPT TO",
      responseCode: 451,
      response: "451 greylisted a@b.example",
    },
    { kind: "temporary", reason: "451" },
  ],
  [
    { code: "EMESSAGE", command: "DATA", responseCode: 554, response: "554-5.7.1 spam" },
    { kind: "permanent", reason: "554 5.7.1" },
  ],
  [
    { code: "EENVELOPE", command: "MAIL FROM", responseCode: 421 },
    { kind: "server", reason: "the mail server refuses mail: 421" },
  ],
  [
    {
      code: "EENVELOPE",
      command: "MAIL FROM",
      responseCode: 550,
      response: "550 5.7.1 <a@b.example> sender rejected",
    },
    { kind: "server", reason: "the mail server refuses mail: 550 5.7.1" },
  ],
  [
    {
      code: "EENVELOPE",
      command: "RCPT TO",
      responseCode: 530,
      response: "530 5.7.0 Authentication required",
    },
    { kind: "server", reason: "the mail server refuses mail: 530 5.7.0" },
  ],
  [
    {
      code: "EENVELOPE",
      command: "RCPT TO",
      responseCode: 450,
      response: "450 4.1.8 <a@b.example>: Domain not found",
    },
    { kind: "server", reason: "the mail server refuses mail: 450 4.1.8" },
  ],
  [
    { code: "EENVELOPE", command: "API" },
    { kind: "permanent", reason: "the address is not usable" },
  ],
] as const)("the error %j of the mail client is classified as %j", (error, refusal) => {
  expect(classifyError(error)).toEqual(refusal);
});

test("mail limits count each mailbox in any spelling, and each mail domain that is not a mail provider's", () => {
  const countedFor = (kind: "moved" | "confirm", address: string) =>
    limitsOf(kind, address, "ab").map(({ counted }) => counted);
  expect(countedFor("moved", "An.a+shop@Gmail.com")).toEqual(["mailbox ana@gmail.com"]);
  expect(countedFor("confirm", "An.a+shop@gmail.com")).toEqual([
    "mailbox ana@gmail.com",
    "confirmation ana@gmail.com",
    "confirmation ab",
  ]);
  expect(countedFor("confirm", "1234567@qq.com")).not.toContain("confirmation qq.com");
  expect(countedFor("confirm", "x@Evil.example")).toEqual([
    "mailbox x@evil.example",
    "confirmation x@evil.example",
    "confirmation evil.example",
    "confirmation ab",
  ]);
});

test("a mail about a visit expires when the visit ends, and a mail about a cancellation after two days", () => {
  const facts = {
    status: "CONFIRMED",
    version: 1,
    startsAt: 1000,
    endsAt: 2000,
    decideBy: 500,
    cancelUntil: 0,
  };
  expect(expiryOf("moved", facts, 0)).toBe(2000);
  expect(expiryOf("cancelled", facts, 0)).toBe(172_800_000);
  expect(expiryOf("confirm", facts, 0)).toBe(500);
});

test("the delay before a refused mail is sent again grows up to an hour", () => {
  expect([1, 2, 5, 50].map(retryDelay)).toEqual([10_000, 60_000, 3_600_000, 3_600_000]);
});

test("the pause after failures of a mail server in a row grows up to five minutes", () => {
  expect([1, 2, 3, 4, 50].map(pauseAfter)).toEqual([2000, 10_000, 60_000, 300_000, 300_000]);
});

test("an error of a mail server is stored without mail addresses", () => {
  expect(withoutAddresses("535 no login for <ada@example.com>: 'x@y' a@b.example.")).toBe(
    "535 no login for <…>: '…' …",
  );
});
