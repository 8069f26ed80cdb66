import { spawnSync } from "node:child_process";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { writeAlertingRules } from "../../../src/domain/conditions/alerting-rules.ts";
import { loadFromFeatures } from "../../../src/features/index.ts";
import { createTestApp } from "../../support/app.ts";
import { asOperator } from "../../support/operator.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const readRules = async () => writeAlertingRules(await loadFromFeatures("alertingRules"));

type Rules = { groups: { rules: { alert: string; expr: string }[] }[] };

test("every metric in the alerting rules is in /metrics", async () => {
  const rt = createTestRuntime();
  const metrics = await (await createTestApp(rt).request("/metrics", asOperator(rt))).text();
  const { groups } = load(await readRules()) as Rules;
  const names = groups.flatMap(({ rules }) =>
    rules.flatMap(({ expr }) => expr.match(/\bdeskbell_\w+/g) ?? []),
  );
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(metrics).toContain(`# TYPE ${name} gauge`);
});

test("promtool accepts the alerting rules", async ({ skip }) => {
  if (spawnSync("promtool", ["--version"]).error) skip("promtool is not installed");
  const { status, stderr } = spawnSync("promtool", ["check", "rules"], {
    input: await readRules(),
  });
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
});
