import { z } from "zod";
import { keySchema, line } from "../../domain/basic-schemas.ts";
import { parseRequest } from "../../domain/parse-request.ts";
import { customerRef } from "../../domain/bookings/requests.ts";
import { lazy } from "../../domain/lazy.ts";

const orderSchema = lazy(() =>
  z.strictObject({
    event: keySchema(),
    items: z
      .array(line(170), "a list such as [seated*2, student]")
      .min(1, "a list of ticket types")
      .max(50, "a list of at most 50"),
    customerRef: customerRef(),
  }),
);

/**
 * Parses a request, in which `seated*2` means two tickets of a type. Adds up the quantities of a
 * type that is named repeatedly.
 */
export function parseTicketOrderRequest(input: unknown) {
  const request = parseRequest(orderSchema(), input);
  const quantities = new Map<string, number>();
  for (const item of request.items) {
    const [, ticketType = item, quantity = "1"] = /^(.+)\*(\d{1,6})$/.exec(item) ?? [];
    quantities.set(ticketType, (quantities.get(ticketType) ?? 0) + Number(quantity));
  }
  return {
    ...request,
    items: [...quantities].map(([key, quantity]) => ({ key, quantity })),
  };
}
