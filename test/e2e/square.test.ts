import { join } from "node:path";
import { expect, test } from "vitest";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { createKey } from "../../src/app/keys.ts";
import { createTestApp } from "../support/app.ts";
import { createTerminal, createTempFolder } from "../support/cli.ts";
import { sharedDataPath, readSharedData } from "../support/shared-data.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

// These tests import Square's sample catalogs and read them through the API.

type Variation = {
  itemVariationData: { name: string; priceMoney: { amount: number }; serviceDuration?: number };
};
type Item = {
  type: string;
  itemData: { name: string; description: string; variations: Variation[] };
};

async function importAndServe(file: string, slug: string) {
  const { dataDir, deskbell } = createTerminal();
  const out = join(createTempFolder(), "catalog.yaml");
  const about = `--business-slug ${slug} --timezone America/Los_Angeles --currency USD`;
  const imported = await deskbell(
    `catalog import square ${sharedDataPath(file)} ${about} --out ${out}`,
  );
  expect(imported).toMatchObject({ code: 0 });
  expect(await deskbell(`catalog apply ${out}`)).toMatchObject({ code: 0 });
  const rt = createTestRuntime({ dataDir });
  const { secret } = createKey(rt, {
    businessId: businessId(slug),
    name: "test",
    kind: "SECRET",
    scopes: [],
  });
  const app = createTestApp(rt);
  const read = async <T>(path: string): Promise<T> => {
    const answer = await app.request(`/v1/businesses/${slug}/${path}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { data: T }).data;
  };
  return { read, report: imported.stderr };
}

test("services imported from Square's sample salon are served as in Square", async (context) => {
  const source = Object.values(
    JSON.parse(readSharedData(context, "square/salon-services.json")) as Record<string, Item>,
  );
  const { read } = await importAndServe("square/salon-services.json", "square-salon");
  const services = await read<{ variants: unknown[] }[]>("services?includeVariants=true");
  expect(services).toMatchObject(
    source.map(({ itemData }) => ({
      name: itemData.name,
      description: itemData.description,
      currency: "USD",
      status: "ACTIVE",
      variants: itemData.variations.map(
        ({ itemVariationData: { name, priceMoney, serviceDuration } }) => ({
          name,
          priceCents: priceMoney.amount,
          durationMin: (serviceDuration ?? 0) / 60_000,
        }),
      ),
    })),
  );
  expect(services).toMatchObject(
    source.map(({ itemData: { variations } }) => ({
      priceCents: variations[0]?.itemVariationData.priceMoney.amount,
      durationMin: (variations[0]?.itemVariationData.serviceDuration ?? 0) / 60_000,
    })),
  );
});

test("the menu imported from Square's sample restaurant is served as in Square, and omissions are listed", async (context) => {
  const source = JSON.parse(readSharedData(context, "square/restaurant-catalog.json")) as Record<
    string,
    { data: Item }
  >;
  const items = Object.values(source).flatMap(({ data }) =>
    data.type === "ITEM" ? [data.itemData] : [],
  );
  const { read, report } = await importAndServe(
    "square/restaurant-catalog.json",
    "square-restaurant",
  );
  const menu = await read<{ items: unknown[]; categories: unknown[] }>("menu");
  expect(menu.items).toMatchObject(
    items.map(({ name, description, variations }) => ({
      name,
      description,
      priceCents: variations[0]?.itemVariationData.priceMoney.amount,
      sizes: variations.map(({ itemVariationData }) => ({
        name: itemVariationData.name,
        priceCents: itemVariationData.priceMoney.amount,
      })),
    })),
  );
  expect(menu.categories).toMatchObject([{ name: "Breakfast" }, { name: "Entree" }]);
  for (const omitted of [/tax/i, /image|picture/i, /abbreviation/i])
    expect(report).toMatch(omitted);
});
