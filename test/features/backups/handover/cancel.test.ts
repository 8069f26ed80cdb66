import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { cancelHandover } from "../../../../src/features/backups/handover/cancel.ts";
import {
  type Handover,
  readHandover,
  saveHandover,
} from "../../../../src/features/backups/handover/state.ts";
import { saveOwnEpoch } from "../../../../src/features/backups/own-epoch.ts";
import {
  assertNotTakenOver,
  endTakeover,
} from "../../../../src/features/backups/restore/epochs.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

vi.mock("../../../../src/features/backups/own-epoch.ts", { spy: true });
vi.mock("../../../../src/features/backups/restore/epochs.ts", { spy: true });

/** Creates a server that was handed over to a folder. */
function createHandedOver() {
  const { config } = createTestRuntime();
  const to = createTempFolder();
  const handover: Handover = { state: "done", to, at: 1, copy: "deskbell-20261120T120000Z.db" };
  saveHandover(config, handover);
  return { config, to, cancel: () => cancelHandover(config, handover, 2) };
}

test("a handover whose cancellation fails on a full disk can be cancelled again", () => {
  const { config, to, cancel } = createHandedOver();
  vi.mocked(saveOwnEpoch).mockImplementationOnce(() => {
    throw new Error("no space left on device");
  });
  expect(cancel).toThrow("no space left");
  expect([readdirSync(to), readHandover(config)?.state]).toEqual([[], "done"]);
  cancel();
  expect([readdirSync(to), readHandover(config)]).toEqual([["epoch-1"], undefined]);
});

test("a handover's cancellation that fails in the folder is completed at the next start", () => {
  const { config, to, cancel } = createHandedOver();
  vi.mocked(endTakeover).mockImplementationOnce(() => {
    throw new Error("i/o error");
  });
  expect(cancel).toThrow("i/o error");
  expect(readHandover(config)).toBeUndefined();
  assertNotTakenOver(config, to);
  expect(readFileSync(join(to, "epoch-1"), "utf8")).toMatch(/^taken over at/);
});
