import { expect, test } from "vitest";
import { readProgress } from "../../../src/features/page-bookings/rules.ts";

test.each([
  ["service=", { step: "start" }],
  ["service=&table=1", { step: "party" }],
  ["service=svc_1", { step: "options", serviceId: "svc_1" }],
])("the query %s leads to the step of what the guest has chosen", (query, progress) => {
  expect(readProgress(new URLSearchParams(query))).toEqual(progress);
});
