import { expect, test } from "vitest";
import { z } from "zod";
import {
  argumentsSchema,
  BOOK_FORMS,
  describeForms,
  offeredForms,
  parse,
} from "../../../src/features/mcp/bodies.ts";
import type { Caller } from "../../../src/features/mcp/caller.ts";

test("an MCP tool neither lists nor accepts a request body whose route the server lacks", () => {
  const schemaOfBody = z.object({ customer: z.unknown(), customerRef: z.unknown() });
  const route = { body: { schema: () => schemaOfBody } };
  const findRoute = (operationId: string) =>
    operationId === "createTicketOrder" ? undefined : route;
  const caller = { api: { findRoute } } as unknown as Caller;
  expect(Object.keys(describeForms(BOOK_FORMS, caller))).toEqual(["visit", "table"]);
  const schema = argumentsSchema(offeredForms(BOOK_FORMS, caller), {});
  expect(parse(schema, { visit: {} })).toEqual({ visit: {} });
  expect(() => parse(schema, { tickets: {} })).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ pointer: "#/tickets" })] }),
  );
});
