import { expect, test } from "vitest";
import { parseBookingRequest } from "../../../src/domain/bookings/requests.ts";

test("a booking without a service or variant is refused, and the error points to the service", () => {
  expect(() => parseBookingRequest({ start: "2026-12-01T10:00" })).toThrow(
    expect.objectContaining({
      code: "validation_failed",
      issues: [
        {
          code: "missing_field",
          pointer: "#/service",
          detail:
            "'service' is missing; it must be the service to book, unless a variant is given.",
        },
      ],
    }),
  );
  const { appointment } = parseBookingRequest({ variant: "long", start: "2026-12-01T10:00" });
  expect(appointment).toMatchObject({ serviceIds: [], variantIds: ["long"] });
});
