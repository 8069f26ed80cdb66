import { expect, test } from "vitest";
import { eraseForGood } from "../../src/app/guests/erase-visits.ts";
import { createBackup } from "../../src/features/backups/backups.ts";
import { restoreBackup } from "../../src/features/backups/restore/restore.ts";
import { findGuestVisit } from "../../src/features/page-bookings/visits.ts";
import { createStandbyConfig, createTestRuntime } from "../support/test-runtime.ts";
import {
  businessOf,
  createVisitor,
  firstService,
  listMade,
  openPage,
  timesOf,
} from "../features/page-bookings/open-page.ts";

const DAY_MS = 86_400_000;

test("a restore brings back the links of guests, except those that have ended", async () => {
  const { api, base } = openPage();
  const url = timesOf(api, base, firstService(api).key);
  const book = async (email: string): Promise<string> => {
    const visitor = createVisitor(api);
    const { action, times } = await visitor.openTimes(url);
    const response = await visitor.book(await visitor.hold(action, times.at(-1)!), { email });
    return response.headers.get("location")!.split("/").at(-1)!;
  };
  const [kept, erased] = [await book("ana@example.com"), await book("leo@example.com")];
  api.advance(60_000);
  const { path } = await createBackup(api);
  api.advance(60_000);
  const found = findGuestVisit(api, businessOf(api), erased)!;
  eraseForGood(api, [found.visit.id]);
  expect(findGuestVisit(api, businessOf(api), erased)).toBeUndefined();

  const config = createStandbyConfig(api.config);
  await restoreBackup(config, path, { now: api.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: config.dataDir }, api.now());
  const business = businessOf(restored);
  expect(findGuestVisit(restored, business, erased)).toBeUndefined();
  const visit = findGuestVisit(restored, business, kept)!.visit;
  expect(listMade(restored)).toHaveLength(2);
  // A link that expires by the clock expires in the restored data as well.
  restored.advance(visit.endsAt + 30 * DAY_MS - restored.now());
  expect(findGuestVisit(restored, business, kept)).toBeUndefined();
});
