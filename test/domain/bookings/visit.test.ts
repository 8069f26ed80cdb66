import { describe, expect, test } from "vitest";
import {
  assertActionAllowed,
  isDecisionLate,
  INITIATORS,
  type Initiator,
  stateAfter,
  stateAfterReschedule,
  VISIT_ACTIONS,
  VISIT_STATUSES,
  type Visit,
  type VisitAction,
  type VisitStatus,
} from "../../../src/domain/bookings/visit.ts";
import { captureError } from "../../support/use-case.ts";
import { confirmedVisit } from "../../support/visit-rows.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 100 * DAY;
const END = START + HOUR;

const visit = (status: VisitStatus): Visit => ({
  id: "bkg_1",
  ...confirmedVisit(START),
  endsAt: END,
  status,
  cancelUntil: START - DAY,
  decideBy: status === "PENDING" ? START : null,
});

const MOMENTS = {
  "in time": START - DAY,
  "after cancelUntil": START - DAY + 1,
  "at the start": START,
  "7 days after the end": END + 7 * DAY,
  later: END + 7 * DAY + 1,
};
type Moment = keyof typeof MOMENTS;
const ALWAYS = Object.keys(MOMENTS) as Moment[];
const STARTED: Moment[] = ["at the start", "7 days after the end", "later"];

/** All actions that are allowed; every combination that is not listed is refused. */
const ALLOWED: [VisitAction, VisitStatus[], Initiator, Moment[], VisitStatus | "same"][] = [
  ["approve", ["PENDING"], "BUSINESS", ALWAYS, "CONFIRMED"],
  ["decline", ["PENDING"], "BUSINESS", ALWAYS, "CANCELLED"],
  ["expire", ["PENDING"], "SYSTEM", ALWAYS, "CANCELLED"],
  ["cancel", ["PENDING", "CONFIRMED"], "BUSINESS", ALWAYS, "CANCELLED"],
  ["cancel", ["PENDING", "CONFIRMED"], "GUEST", ["in time"], "CANCELLED"],
  ["reschedule", ["PENDING", "CONFIRMED"], "BUSINESS", ALWAYS, "same"],
  ["reschedule", ["PENDING", "CONFIRMED"], "GUEST", ["in time"], "same"],
  ["complete", ["CONFIRMED"], "BUSINESS", STARTED, "COMPLETED"],
  ["complete", ["NO_SHOW"], "BUSINESS", ["at the start", "7 days after the end"], "COMPLETED"],
  ["noShow", ["CONFIRMED"], "BUSINESS", STARTED, "NO_SHOW"],
  ["noShow", ["COMPLETED"], "BUSINESS", ["at the start", "7 days after the end"], "NO_SHOW"],
];

const combinations = VISIT_ACTIONS.flatMap((action) =>
  VISIT_STATUSES.flatMap((status) =>
    INITIATORS.map((initiator) => ({ action, status, initiator })),
  ),
);

test.each(combinations)(
  "$action of a $status visit by $initiator is allowed only at the moments in ALLOWED",
  ({ action, status, initiator }) => {
    const rule = ALLOWED.find(
      ([name, from, by]) => name === action && from.includes(status) && by === initiator,
    );
    for (const moment of ALWAYS) {
      const error = captureError(() =>
        assertActionAllowed("Booking bkg_1", visit(status), action, initiator, MOMENTS[moment]),
      );
      const isAllowed = rule?.[3].includes(moment) === true;
      expect(`${moment}: ${error}`).toMatch(
        isAllowed
          ? /: no error/
          : /: (?:wrong_status|cancellation_closed|insufficient_scope): .+\.$/,
      );
      if (isAllowed && action !== "reschedule")
        expect(stateAfter(visit(status), action, initiator).status).toBe(rule[4]);
    }
  },
);

test.each<[VisitAction, Initiator, string]>([
  ["approve", "BUSINESS", "approved"],
  ["decline", "BUSINESS", "declined"],
  ["expire", "SYSTEM", "expired"],
  ["cancel", "GUEST", "cancelled"],
  ["reschedule", "GUEST", "rescheduled"],
  ["complete", "BUSINESS", "completed"],
  ["noShow", "BUSINESS", "marked as a no-show"],
])("the error for %s of a cancelled visit by %s says that it cannot be %s", (action, by, verb) => {
  expect(
    captureError(() =>
      assertActionAllowed("Booking bkg_1", visit("CANCELLED"), action, by, START - DAY),
    ),
  ).toBe(`wrong_status: Booking bkg_1 cannot be ${verb}: its status is CANCELLED.`);
});

describe("a cancelled visit states who cancelled it and why", () => {
  test.each<[Parameters<typeof stateAfter>[1], Initiator, string | null, object]>([
    ["cancel", "GUEST", "ill", { cancelledBy: "GUEST", cancelReason: "ill" }],
    ["cancel", "BUSINESS", null, { cancelledBy: "BUSINESS", cancelReason: null }],
    ["decline", "BUSINESS", null, { cancelledBy: "BUSINESS", cancelReason: "DECLINED" }],
    ["expire", "SYSTEM", null, { cancelledBy: "SYSTEM", cancelReason: "EXPIRED" }],
  ])(
    "a cancelled visit states who cancelled it and why: %s by %s",
    (action, initiator, reason, expected) => {
      expect(stateAfter(visit("PENDING"), action, initiator, reason)).toEqual({
        status: "CANCELLED",
        decideBy: null,
        ...expected,
      });
    },
  );
});

test("a decision is late after half of the time to decide, which begins anew if the guest reschedules", () => {
  const created = { createdAt: START - 10 * DAY, decideBy: START - 9 * DAY };
  const half = START - 9.5 * DAY;
  expect([half - 1, half].map((now) => isDecisionLate(created, now))).toEqual([false, true]);
  // A guest has rescheduled a visit that was created long ago, so the time to decide begins anew.
  const moved = { ...created, decideBy: START };
  expect([START - DAY, START - 0.5 * DAY].map((now) => isDecisionLate(moved, now))).toEqual([
    false,
    true,
  ]);
});

test("the approval deadline of a visit that the business moves is not after the new start, unless the start has passed", () => {
  const pending = visit("PENDING");
  const now = START - 3 * HOUR;
  const decideByAfter = (startsAt: number) =>
    stateAfterReschedule(pending, "BUSINESS", true, startsAt, now).decideBy;
  expect(decideByAfter(START + DAY)).toBe(START);
  expect(decideByAfter(now + HOUR)).toBe(now + HOUR);
  expect(decideByAfter(now - HOUR)).toBe(START);
  expect(decideByAfter(now)).toBe(START);
});

test("a visit that the guest moves needs a new approval within 24 hours, and no later than the start", () => {
  const now = START - 3 * DAY;
  const confirmed = visit("CONFIRMED");
  expect(stateAfterReschedule(confirmed, "GUEST", true, START, now)).toMatchObject({
    status: "PENDING",
    decideBy: now + DAY,
  });
  expect(stateAfterReschedule(confirmed, "GUEST", true, now + HOUR, now)).toMatchObject({
    status: "PENDING",
    decideBy: now + HOUR,
  });
  for (const [initiator, requiresApproval] of [
    ["BUSINESS", true],
    ["GUEST", false],
  ] as const)
    expect(stateAfterReschedule(confirmed, initiator, requiresApproval, START, now)).toMatchObject({
      status: "CONFIRMED",
      decideBy: null,
    });
});
