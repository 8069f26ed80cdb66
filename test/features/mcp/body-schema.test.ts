import { expect, test } from "vitest";
import { z } from "zod";
import { describeFields } from "../../../src/features/mcp/body-schema.ts";

const fields = z.object({
  left: z.string().max(9).nullish(),
  none: z.string().max(9).nullable().default(null),
  three: z.number().max(9).nullable().default(3),
});
const textOrNull = { anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }] };
const numberOrNull = { anyOf: [{ type: "number", maximum: 9 }, { type: "null" }] };

test("the schema of a new object does not accept null for a field if null means the same as leaving the field out", () => {
  expect(describeFields(fields, { isNew: true })).toMatchObject({
    properties: {
      left: { type: "string" },
      none: { type: "string" },
      three: { default: 3, ...numberOrNull },
    },
  });
});

test("the schema of a change accepts null for each field that the change can delete", () => {
  expect(describeFields(fields)).toMatchObject({
    properties: {
      left: textOrNull,
      none: { type: "string" },
      three: { default: 3, ...numberOrNull },
    },
  });
});
