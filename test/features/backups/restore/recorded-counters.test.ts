import { expect, test } from "vitest";
import {
  readRecordedCounters,
  recordCounters,
} from "../../../../src/features/backups/restore/recorded-counters.ts";
import { createTempFolder } from "../../../support/cli.ts";

test("a recorded counter is the server's counter, or the counter that the folder already had if that is higher", () => {
  const dir = createTempFolder();
  const read = () => readRecordedCounters(dir).counters;
  expect(read()).toEqual([]);
  const counters = [
    { id: "biz_new", catalogVersion: 0, lastSequence: 0 },
    { id: "biz_old", catalogVersion: 7, lastSequence: 90 },
  ];
  recordCounters(dir, { epoch: 0, counters });
  expect(read()).toEqual(counters);
  recordCounters(dir, {
    epoch: 0,
    counters: [
      { id: "biz_new", catalogVersion: 1, lastSequence: 2 },
      { id: "biz_old", catalogVersion: 8, lastSequence: 89 },
    ],
  });
  expect(read()).toEqual([
    { id: "biz_new", catalogVersion: 1, lastSequence: 2 },
    { id: "biz_old", catalogVersion: 8, lastSequence: 90 },
  ]);
});
