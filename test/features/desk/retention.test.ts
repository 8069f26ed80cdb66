import { expect, test } from "vitest";
import { retention } from "../../../src/features/desk/retention.ts";
import { createDeskStore } from "../../../src/features/desk/store.ts";
import { createDeskLink, listDesks } from "../../../src/features/desk/desks.ts";
import { businessOf, openDesk } from "./open-desk.ts";

const DAY_MS = 86_400_000;

test("retention deletes the outcome of a desk's action after a day, and a pairing link or device after its end", async () => {
  const { api, act } = await openDesk();
  const { id } = businessOf(api);
  const store = api.openStore(createDeskStore);
  const device = listDesks(api, id)[0]!.devices[0]!;
  const outcome = { ok: true, code: "closed" } as const;
  api.tx(() => store.saveOutcome(device.id, "token", api.now(), outcome));
  const prune = () =>
    api.tx(() => retention.forEach((work) => work(api, 0, 100, { now: api.now(), keptSince: 0 })));
  createDeskLink(api, id, "Front desk");
  prune();
  expect(store.findOutcome(device.id, "token")).toEqual(outcome);
  expect(listDesks(api, id)).toMatchObject([{ linkEndsAt: expect.any(Number), devices: [device] }]);
  api.advance(DAY_MS + 1);
  prune();
  expect(store.findOutcome(device.id, "token")).toBeUndefined();
  expect(listDesks(api, id)).toMatchObject([{ linkEndsAt: null, devices: [device] }]);
  api.advance(30 * DAY_MS);
  prune();
  expect(store.count(0)).toEqual({ desks: 1, devices: 0 });
  expect(await act({ action: "close" })).toMatchObject({ code: "missing_key" });
});
