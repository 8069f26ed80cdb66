import type { BusinessDoc } from "../../../domain/catalog/catalog.ts";

/** The countries where the postal code stands after the town. */
const CODE_LAST = new Set(["AU", "CA", "GB", "IE", "IN", "JP", "NZ", "US"]);

/** Returns the lines of the address without the country. */
export function addressLines({
  postalAddress,
  address,
}: Pick<BusinessDoc, "postalAddress" | "address">): string[] {
  if (postalAddress === null)
    return (address ?? "")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const { street, locality, region, postalCode, country } = postalAddress;
  const town = region === null ? locality : `${locality}, ${region}`;
  const parts = CODE_LAST.has(country) ? [town, postalCode] : [postalCode, town];
  return [street, parts.filter((part) => part !== null).join(" ")];
}
