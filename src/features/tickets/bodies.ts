import { z } from "zod";
import { integer, outsideLine } from "../../domain/basic-schemas.ts";
import { lazy } from "../../domain/lazy.ts";
import { expectedTotalCents, guestDetails, id } from "../../http/handlers/bookings/bodies.ts";

// The schemas check requests about ticket orders. Error texts are nouns that follow "must be".

const MAX_TICKET_TYPES = 50;

const ITEMS = `a list of 1 to ${MAX_TICKET_TYPES} ticket types`;
export const ticketOrderBody = lazy(() =>
  z.strictObject({
    eventId: id(),
    items: z
      .array(
        z.strictObject(
          { ticketTypeId: id(), quantity: integer(1, 10_000) },
          { error: "an object with ticketTypeId and quantity" },
        ),
        { error: ITEMS },
      )
      .min(1, { error: ITEMS })
      .max(MAX_TICKET_TYPES, { error: ITEMS }),
    expectedTotalCents: expectedTotalCents(),
    ...guestDetails(),
  }),
);

export const confirmBody = lazy(() =>
  z.strictObject({
    paymentRef: outsideLine(200)
      .nullable()
      .default(null)
      .describe("ID of the payment in your system; must not be personal data"),
  }),
);
