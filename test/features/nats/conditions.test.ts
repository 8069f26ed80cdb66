import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { listForOperator, listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { checkDestinations } from "../../../src/features/nats/conditions.ts";
import { createDestinationStore } from "../../../src/features/nats/store.ts";
import { CHECKS } from "../../support/checks.ts";
import { createRunningServer } from "../../support/conditions.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
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

test("a recreated stream is reported for seven days", () => {
  const rt = createTestRuntime();
  const { destination } = addDestination(rt);
  rt.tx(() => rt.openStore(createDestinationStore).markRecreated(destination, 1, rt.now()));
  const codes = () => checkDestinations(rt).map(({ code }) => code);
  rt.advance(7 * 86_400_000 - 1);
  expect(codes()).toEqual(["destination.recreated"]);
  rt.advance(1);
  expect(codes()).toEqual([]);
});
