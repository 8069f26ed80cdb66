import { expect, test } from "vitest";
import { metrics } from "../../../src/features/desk/metrics.ts";
import { openDesk } from "./open-desk.ts";
import { openPendingVisit } from "./alert-links/open-pending-visit.ts";
import type { Runtime } from "../../../src/app/runtime.ts";

const samplesOf = (rt: Runtime) =>
  metrics
    .flatMap((format) => format(rt))
    .join("\n")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

test("the metrics count the paired devices and the alert links that still work", async () => {
  const { api } = await openDesk();
  expect(samplesOf(api)).toEqual(["deskbell_desk_devices 1", "deskbell_alert_links 0"]);
  const visit = openPendingVisit();
  visit.link();
  expect(samplesOf(visit.api)).toEqual(["deskbell_desk_devices 0", "deskbell_alert_links 1"]);
  visit.api.advance(2 * 3_600_000);
  expect(samplesOf(visit.api)).toContain("deskbell_alert_links 0");
});
