import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { listForOperator, listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { createDestinationStore } from "../../../src/features/nats/store.ts";
import { CHECKS } from "../../support/checks.ts";
import { createRunningServer } from "../../support/conditions.ts";
import { addDestination } from "./destinations.ts";

test("the condition of a missing master key hides the conditions of destinations that are late because of it", async () => {
  const rt = await createRunningServer();
  const { destination } = addDestination(rt);
  rmSync(rt.config.masterKeyPath);
  const state = { behindSince: rt.now() - 3_600_000, lastError: "no key", streamSequence: 1 };
  rt.tx(() => rt.openStore(createDestinationStore).updateState(destination, state));
  const codes = listDaemonConditions(rt, CHECKS).map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(["master_key.missing", "destination.late"]));
  const causes = listForOperator(rt, CHECKS, { isRunning: true, startedAt: rt.now() });
  expect(causes.map(({ code }) => code)).toEqual(["master_key.missing"]);
});
