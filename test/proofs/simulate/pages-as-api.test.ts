import { expect, test } from "vitest";
import { catalogPair } from "../../support/arbitrary-catalog.ts";
import { recordClaim } from "../../support/claims.ts";
import { comparePages, type Served } from "../../support/page-crawler.ts";
import { fc, PROPERTY_SEED } from "../../support/property.ts";
import { findIssues } from "../../support/schema-org.ts";
import { publishFile, servePublished } from "../../support/published-pages.ts";
import { chooseScale } from "../../support/scale.ts";

const CATALOGS = chooseScale(20, 1000, 100);

type Graph = { "@graph": Record<string, unknown>[] };

/** Returns the same pages for ever, as a cache that never asks whether they have changed. */
function keepForever({ get, read }: Served): Served {
  const kept = new Map<string, Response>();
  return {
    read,
    async get(path, headers) {
      const response = kept.get(path) ?? (await get(path, headers));
      kept.set(path, response.clone());
      return response;
    },
  };
}

test(
  "public pages say the same as the API, before and after each change",
  { timeout: 3_600_000 },
  async () => {
    const pairs = fc.sample(catalogPair, { numRuns: CATALOGS / 2, seed: PROPERTY_SEED });
    const sum = { objects: 0, facts: 0 };
    let stale = 0;
    for (const { first, second } of pairs) {
      const served = servePublished(first);
      const keeping = keepForever(served);
      const before = await comparePages(keeping);
      publishFile(served.rt, second);
      const after = await comparePages(served);
      const { "@graph": graph } = (await (await served.get(".jsonld")).json()) as Graph;
      const issues = await findIssues(graph);
      expect([...before.differences, ...after.differences, ...issues]).toEqual([]);
      for (const { objects, facts } of [before, after]) {
        sum.objects += objects;
        sum.facts += facts;
      }
      if ((await comparePages(keeping)).differences.length > 0) stale += 1;
      served.rt.close();
    }
    expect(sum.objects).toBeGreaterThan(CATALOGS * 10);
    recordClaim({
      group: "simulate",
      claim: "Public pages, their JSON-LD and their Markdown say the same as the API",
      done: `A crawler read all pages of ${CATALOGS} generated catalogs, each pair a catalog and a change of it, and compared the names, descriptions, prices, sizes, variants, times and numbers of tickets left with the API at the same version. Adobe's validator checked the JSON-LD with the vocabulary of schema.org and the fields that Google requires.`,
      figure: `${sum.facts} facts about ${sum.objects} objects were compared; 0 differed, and the JSON-LD was valid.`,
      control: {
        done: "The pages of each first catalog were kept after the change, as by a cache that never asks whether they have changed.",
        figure: `The crawler found differences in ${stale} of ${pairs.length} changes.`,
        hasFailed: stale > 0,
      },
      seed: PROPERTY_SEED,
    });
  },
);
