import { expect, test } from "vitest";
import { inlineFields, toReadable } from "../../../src/cli/output/readable.ts";
import { createTerminal } from "../../support/cli.ts";

const BUSINESS = { currency: "CHF", currencyDigits: 2, timezone: "Europe/Zurich" };
const context = {
  business: BUSINESS,
  nameOf: (id: string) => (id === "svc_1" ? "Haircut" : undefined),
};

test("amounts, durations and times are formatted for people, and IDs are replaced by names", () => {
  expect(
    toReadable(
      {
        id: "bkg_1",
        startsAt: "2026-12-01T10:00:00Z",
        checkedInAt: "2026-12-01T10:00:05.500+01:00",
        serviceId: "svc_1",
        staffId: "stf_gone",
        durationMin: 45,
        timeoutMs: 1500,
        percentBps: 1250,
        totalCents: 4500,
        currency: "CHF",
        currencyDigits: 2,
        isPaid: false,
        version: 3,
        customerRef: null,
        notes: [],
        options: { a: null },
      },
      context,
    ),
  ).toEqual({
    id: "bkg_1",
    starts: "2026-12-01 11:00",
    "checked in": "2026-12-01 10:00:05",
    service: "Haircut",
    staff: "stf_gone",
    duration: "45 min",
    timeout: "1.5 s",
    percent: "12.5 %",
    total: "45.00 CHF",
    "is paid": "no",
  });
});

test("an amount keeps the decimals of its own currency, and is a plain number without a business", () => {
  const yen = { totalCents: 5500, currency: "JPY", currencyDigits: 0 };
  expect(toReadable(yen, context)).toEqual({ total: "5500 JPY" });
  const orphan = { ...context, business: undefined };
  expect(toReadable({ priceCents: 5500, createdAt: "2026-12-01T10:00:00Z" }, orphan)).toEqual({
    "price cents": "5500",
    created: "2026-12-01 10:00 UTC",
  });
});

test("weekly times show ranges of days, and a stored name replaces its ID", () => {
  const rule = { days: ["tue", "wed", "thu"], start: "09:00", end: "18:00" };
  expect(
    toReadable(
      {
        hours: [
          { ...rule, validFrom: "2026-12-01", validTo: null },
          { ...rule, days: ["sat"] },
        ],
        segments: [
          { serviceId: "svc_1", serviceName: "Old name", addons: [{ addonId: "x", quantity: 2 }] },
        ],
      },
      context,
    ),
  ).toEqual({
    hours: ["tue-thu 09:00-18:00, from 2026-12-01", "sat 09:00-18:00"],
    segments: [{ service: "Old name", addons: "addon x, quantity 2" }],
  });
  expect(Object.keys(toReadable({ staffId: "a", at: "x", staffName: "Mia" }, context))).toEqual([
    "staff",
    "at",
  ]);
});

test("each field is one line of plain text in a pipe", () => {
  const readable = toReadable(
    { variants: [{ key: "a", staff: ["mia", "leo"] }, { key: "b" }], tags: ["x", "y"] },
    context,
  );
  expect(inlineFields(readable)).toEqual({
    variants: "key a, staff mia, leo; key b",
    tags: "x, y",
  });
});

const CATALOG = `catalog: 1
business: { slug: hall, name: Hall, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: mon-sun, start: "00:00", end: "24:00" }]
staff: [{ key: mia, name: Mia Moser }]
services: [{ key: cut, name: Wash and cut, durationMin: 30, price: 35.00, staff: [mia] }]
`;

test("bookings create prints names, amounts and local times", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CATALOG);
  const start = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const booked = await deskbell(`bookings create --service cut --start ${start}T10:00`);
  expect(booked.stdout).toContain(`starts\t${start} 10:00\n`);
  expect(booked.stdout).toMatch(/^segments\t.*service Wash and cut.*staff Mia Moser/m);
  expect(booked.stdout).toContain("total\t35.00 CHF\n");
  expect((await deskbell("promotions list")).code).toBe(0);
});
