import { expect, test } from "vitest";
import { createDestinationStore } from "../../../src/features/nats/store.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addDestination } from "./destinations.ts";

test("each change of a destination raises its version, so that no late state of an earlier version is saved", () => {
  const rt = createTestRuntime();
  const store = rt.openStore(createDestinationStore);
  const { destination } = addDestination(rt);
  const { id, version } = destination;
  const late = { behindSince: 1, lastError: "late", streamSequence: 1 };
  rt.tx(() => store.raiseVersion(id));
  rt.tx(() => store.update(id, destination, rt.now()));
  expect(store.listVersions()).toEqual([[id, version + 2]]);
  rt.tx(() => store.updateState(destination, late));
  expect(store.findById(id)?.lastError).toBeNull();
});
