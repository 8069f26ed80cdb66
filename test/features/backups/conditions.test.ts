import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { CHECKS } from "../../support/checks.ts";
import { createTestApi } from "../../http/support/api.ts";
import { asOperator } from "../../support/operator.ts";

test("the server is not ready after a nightly backup has found damage of the database", async () => {
  const api = createTestApi();
  mkdirSync(api.config.backupFolder);
  const failure = { at: 0, reason: "damaged", isDamaged: true };
  writeFileSync(join(api.config.backupFolder, "last-failure.json"), JSON.stringify(failure));
  expect((await api.request("/readyz", { key: null })).status).toBe(503);
  const health = await api.request("/healthz", asOperator(api));
  expect(await health.json()).toEqual({ status: "ok", database: "damaged" });
  const codes = listDaemonConditions(api, CHECKS).map(({ code }) => code);
  expect(codes).toEqual(["database.damaged"]);
});
