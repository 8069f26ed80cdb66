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

test("a new object is described without null where null says the same as leaving a field out", () => {
  expect(describeFields(fields, { isNew: true })).toMatchObject({
    properties: {
      left: { type: "string" },
      none: { type: "string" },
      three: { default: 3, ...numberOrNull },
    },
  });
});

test("a change is described with null for the fields that it can delete", () => {
  expect(describeFields(fields)).toMatchObject({
    properties: {
      left: textOrNull,
      none: { type: "string" },
      three: { default: 3, ...numberOrNull },
    },
  });
});
