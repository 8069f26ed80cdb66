import { expect, test } from "vitest";
import { isAddressRange, isWithin, assertAddressRanges } from "../../src/domain/addresses.ts";

test.each([
  { address: "203.0.113.7", ranges: [], within: false },
  { address: "203.0.113.7", ranges: ["203.0.113.0/24"], within: true },
  { address: "203.0.114.7", ranges: ["203.0.113.0/24"], within: false },
  { address: "203.0.113.7", ranges: ["203.0.113.7"], within: true },
  { address: "::ffff:203.0.113.7", ranges: ["203.0.113.0/24"], within: true },
  { address: "2001:db8::1", ranges: ["203.0.113.0/24", "2001:db8::/32"], within: true },
  { address: "2001:db9::1", ranges: ["2001:db8::/32"], within: false },
  { address: "nonsense", ranges: ["0.0.0.0/0"], within: false },
])("isWithin of $address and $ranges is $within", ({ address, ranges, within }) =>
  expect(isWithin(address, ranges)).toBe(within),
);

test("isAddressRange accepts ranges and single addresses only", () => {
  expect(["10.0.0.0/8", "10.1.2.3", "2001:db8::/32"].every(isAddressRange)).toBe(true);
  expect(["10.0.0.0/33", "example.com", "", "10.0.0.0/8/8"].some(isAddressRange)).toBe(false);
});

test("an IPv4 address has four decimal numbers without leading zeros", () => {
  const legacy = ["1.2.3", "1", "0x7f.0.0.1", "010.0.0.1"];
  expect(legacy.filter(isAddressRange)).toEqual([]);
  expect(legacy.map((address) => `${address}/8`).filter(isAddressRange)).toEqual([]);
  expect(legacy.filter((address) => isWithin(address, ["0.0.0.0/0"]))).toEqual([]);
});

test("assertAddressRanges names the flag of an invalid range", () => {
  expect(() => assertAddressRanges("--allow-private", ["10.0.0.0/8", "foo"])).toThrow(
    "--allow-private must be an address range, not 'foo'.",
  );
});

test("isWithin throws for an invalid range", () => {
  expect(() => isWithin("10.0.0.1", ["foo"])).toThrow("Invalid address range 'foo'.");
});
