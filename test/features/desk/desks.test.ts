import { expect, test } from "vitest";
import { listDesks } from "../../../src/features/desk/desks.ts";
import { businessOf, openDesk } from "./open-desk.ts";

const HOUR_MS = 3_600_000;

test("the list of desks has the last use of a device, which is stored at most once an hour", async () => {
  const { api, view } = await openDesk();
  const pairedAt = api.now();
  const usedAt = () => listDesks(api, businessOf(api).id)[0]?.devices[0]?.usedAt;
  api.advance(HOUR_MS - 1);
  await view();
  expect(usedAt()).toBe(pairedAt);
  api.advance(1);
  await view();
  expect(usedAt()).toBe(pairedAt + HOUR_MS);
});
