import { expect, test } from "vitest";
import { AppError, type ErrorCode } from "../../../../src/domain/errors.ts";
import { refusalOf } from "../../../../src/features/desk/actions/refusals.ts";

test.each([
  ["TOO_FAR", "wrong_time"],
  ["TOO_SOON", "wrong_time"],
  ["OFF_GRID", "wrong_time"],
  ["CLOSURE", "closed_then"],
  ["OUTSIDE_HOURS", "closed_then"],
  ["NOBODY_ABLE", "nobody_works"],
  ["BREAK", "nobody_works"],
  ["TIME_OFF", "nobody_works"],
  ["SEATS_TAKEN", "taken"],
  ["TAKEN", "taken"],
  ["BUFFER", "taken"],
  ["RESOURCE_TAKEN", "taken"],
])("a time that is refused as %s has the text %s for the people in the shop", (reason, text) => {
  expect(refusalOf(new AppError("slot_taken", "", { extensions: { reason } }))).toBe(text);
});

test.each<[ErrorCode, string | undefined]>([
  ["wrong_status", "changed"],
  ["resource_not_found", "gone"],
  ["party_too_large", "too_many_guests"],
  ["storage_full", undefined],
])("an error %s has the text %s for the people in the shop", (code, text) => {
  expect(refusalOf(new AppError(code, ""))).toBe(text);
});

test.each<[string, string]>([
  ["staff_cannot_perform", "wrong_person"],
  ["not_finite", "invalid"],
])(
  "an error whose first issue is %s has the text of the issue, or else that of the error",
  (code, text) => {
    const issues = [{ code, detail: "" }];
    expect(refusalOf(new AppError("validation_failed", "", { issues }))).toBe(text);
  },
);
