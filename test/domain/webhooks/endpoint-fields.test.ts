import { expect, test } from "vitest";
import { type EndpointField, validateField } from "../../../src/domain/webhooks/endpoint-fields.ts";

test.each<[EndpointField, unknown, string[]]>([
  ["name", "", ["length"]],
  ["name", undefined, ["required"]],
  ["url", 1, ["type"]],
  ["events", [], ["empty"]],
  ["events", ["no.such"], ["unknown_event"]],
  ["timeoutMs", 999, ["range"]],
  ["maxInFlight", 0, ["range"]],
  ["maxInFlight", "4", ["range"]],
  ["maxInFlight", 1, []],
  ["status", "OFF", ["invalid_value"]],
])("the field %s of an endpoint with the value %j has the issues %j", (field, value, codes) => {
  expect(validateField(field, value).map(({ code }) => code)).toEqual(codes);
});
