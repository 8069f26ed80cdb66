import { z } from "zod";
import { key } from "../catalog/file/values.ts";
import { parseRequest } from "./request.ts";
import {
  type NamedQuantity,
  quantifiedName,
  customerRef,
  parseQuantities,
} from "./request-values.ts";

export type TicketOrderRequest = {
  event: string;
  items: NamedQuantity[];
  customerRef: string | null;
};

const requestSchema = z.strictObject({
  event: key,
  items: z
    .array(quantifiedName, "a list such as [seated*2, student]")
    .min(1, "a list of ticket types")
    .max(50, "a list of at most 50"),
  customerRef,
});

/** @throws AppError validation_failed */
export function parseTicketOrderRequest(input: unknown): TicketOrderRequest {
  const { event, items, customerRef = null } = parseRequest(requestSchema, input);
  return { event, items: parseQuantities(items), customerRef };
}
