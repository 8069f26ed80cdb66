import { z } from "zod";
import { key } from "../catalog/schema-values.ts";
import { readRequest } from "./request.ts";
import { type Counted, counted, customerRef, readCounted } from "./request-values.ts";

export type OrderRequest = { event: string; items: Counted[]; customerRef: string | null };

const requestSchema = z.strictObject({
  event: key,
  items: z
    .array(counted, "a list such as [seated*2, student]")
    .min(1, "a list of ticket types")
    .max(50, "a list of at most 50"),
  customerRef,
});

/** @throws AppError validation_failed */
export function readOrderRequest(input: unknown): OrderRequest {
  const { event, items, customerRef = null } = readRequest(requestSchema, input);
  return { event, items: readCounted(items), customerRef };
}
