import { expect, test } from "vitest";
import { addressLines } from "../../../../src/features/public-pages/content/address.ts";

const address = { street: "1 First Street", locality: "Town", region: null, postalCode: "12345" };

test.each([
  ["US", "NY", "Town, NY 12345"],
  ["GB", null, "Town 12345"],
  ["AU", "NSW", "Town, NSW 12345"],
  ["CA", "ON", "Town, ON 12345"],
  ["IE", null, "Town 12345"],
  ["IN", "KA", "Town, KA 12345"],
  ["JP", null, "Town 12345"],
  ["NZ", null, "Town 12345"],
  ["DE", null, "12345 Town"],
  ["CH", "ZH", "12345 Town, ZH"],
])(
  "an address in %s has the town and the postal code in the order of the country",
  (country, region, line) => {
    const postalAddress = { ...address, country, region };
    expect(addressLines({ postalAddress, address: null })).toEqual(["1 First Street", line]);
  },
);

test("an address without a postal code has the town alone, and an address in one text keeps its lines", () => {
  const postalAddress = { ...address, country: "US", postalCode: null };
  expect(addressLines({ postalAddress, address: null })).toEqual(["1 First Street", "Town"]);
  expect(addressLines({ postalAddress: null, address: " A 1 \n\nTown" })).toEqual(["A 1", "Town"]);
});
