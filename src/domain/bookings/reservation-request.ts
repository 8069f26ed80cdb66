import { z } from "zod";
import { key, line, integer } from "../catalog/file/values.ts";
import { parseRequest } from "./request.ts";
import { customerRef } from "./request-values.ts";

export type ReservationRequest = {
  party: number;
  start: string;
  /** null: any area. */
  area: string | null;
  /** null: the smallest free table. */
  table: string | null;
  customerRef: string | null;
};

const requestSchema = z.strictObject({
  party: integer(1, 10_000),
  start: line(40),
  area: key.nullish(),
  table: key.nullish(),
  customerRef,
});

/** @throws AppError validation_failed */
export function parseReservationRequest(input: unknown): ReservationRequest {
  const {
    party,
    start,
    area = null,
    table = null,
    customerRef = null,
  } = parseRequest(requestSchema, input);
  return { party, start, area, table, customerRef };
}
