import { expect, test } from "vitest";
import { ticketOrder } from "../../../../src/domain/public/schemas/bookings.ts";

test("the schema of a ticket order accepts its four statuses and no other", () => {
  const accepts = (status: string) => ticketOrder.shape.status.safeParse(status).success;
  for (const status of ["PENDING", "CONFIRMED", "CANCELLED", "EXPIRED"])
    expect([status, accepts(status)]).toEqual([status, true]);
  for (const status of ["", "PAID", "DECLINED"])
    expect([status, accepts(status)]).toEqual([status, false]);
});
