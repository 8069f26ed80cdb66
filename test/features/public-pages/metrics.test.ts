import { expect, test } from "vitest";
import { asOperator } from "../../support/operator.ts";
import { publishSample } from "../../support/published-pages.ts";

test("the metrics count how often each public page was sent", async () => {
  const { api, get } = publishSample("salon");
  const readLines = async () =>
    (await (await api.request("/metrics", asOperator(api))).text())
      .split("\n")
      .filter((line) => line.startsWith("deskbell_page_visits_total"));
  expect(await readLines()).toEqual([]);
  for (const path of ["", "", "/services", "/no-such-page"]) await get(path);
  expect(await readLines()).toEqual([
    'deskbell_page_visits_total{page="business"} 2',
    'deskbell_page_visits_total{page="services"} 1',
  ]);
});
