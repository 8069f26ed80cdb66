import { expect, test } from "vitest";
import { parseJson } from "../../src/store/json.ts";
import { DamagedDatabaseError } from "../../src/store/storage-error.ts";

test("the error of a damaged value names its column and contains nothing of the value", () => {
  const parse = () => parseJson('{"name":"Ana Qanary"', "booking_segment.addons");
  expect(parse).toThrow(DamagedDatabaseError);
  expect(parse).toThrow(
    /^the database is damaged or is not a database: booking_segment\.addons is not valid JSON\.$/,
  );
  expect(() => parseJson("Ana Qanary", "booking_segment.addons")).toThrow(/^((?!Ana).)*$/);
});
