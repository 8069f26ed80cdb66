import { expect, test } from "vitest";
import { createLookup, type Audience } from "../../../src/domain/availability/catalog-lookup.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { buildCatalog, buildService } from "../../support/catalog-builders.ts";

const catalog = buildCatalog({
  service: [buildService("cut"), buildService("old", { status: "INACTIVE" })],
});
const [cut, old] = catalog.objects.service.map((doc) =>
  objectId("service", catalog.business.slug, doc),
) as [string, string];

test.each<[audience: Audience, name: string, found: string | undefined]>([
  ["INTERNAL", "cut", "cut"],
  ["INTERNAL", cut, "cut"],
  ["INTERNAL", "old", "old"],
  ["PUBLIC", cut, "cut"],
  ["PUBLIC", "cut", undefined],
  ["PUBLIC", old, undefined],
])("a request of the audience %s for the service %s finds %s", (audience, name, found) => {
  const issues: string[] = [];
  const { findOrAddIssue } = createLookup(catalog, audience, (code) => void issues.push(code));
  expect(findOrAddIssue("service", name, "serviceIds")?.key).toBe(found);
  expect(issues).toEqual(found === undefined ? ["resource_not_found"] : []);
});
