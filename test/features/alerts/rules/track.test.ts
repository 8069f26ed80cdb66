import { fc } from "../../../support/property.ts";
import { describe, expect, test } from "vitest";
import type { Alert, Cause } from "../../../../src/features/alerts/rules/alert.ts";
import { type AlertCode, openCondition } from "../../../../src/domain/conditions/registry.ts";
import { trackConditions } from "../../../../src/features/alerts/rules/track.ts";
import { chooseScale } from "../../../support/scale.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START = Date.parse("2026-11-20T12:00:00Z");

const failing = (id: string) => endpointCondition("endpoint.failing", id);
const endpointCondition = (code: AlertCode, id: string) =>
  openCondition(code, `the endpoint '${id}' fails`, `deskbell webhooks show ${id}`, {
    business: "salon",
    subject: { id, name: id },
  });
const serverCondition = (code: AlertCode) => openCondition(code, code, "fix it");
type Found = ReturnType<typeof failing>;

/** Tracks the alerts of conditions that the test opens and ends, minute by minute. */
function startTracking() {
  let causes: Cause[] = [];
  let now = START;
  const sent: Alert[] = [];
  const step = (...found: Found[]): string[] => {
    // The causes pass through JSON, because a restarted daemon reads them as JSON.
    const { alerts, ...tracked } = trackConditions(JSON.parse(JSON.stringify(causes)), found, now);
    ({ causes } = tracked);
    sent.push(...alerts);
    return alerts.map(({ status, fingerprint, count }) => `${status} ${fingerprint} ${count}`);
  };
  return {
    sent,
    step,
    /**
     * Repeats the conditions for some minutes.
     * @returns the alerts
     */
    run(minutes: number, ...found: Found[]): string[] {
      const lines: string[] = [];
      for (let i = 0; i < minutes; i++, now += MINUTE_MS) lines.push(...step(...found));
      return lines;
    },
    causes: () => causes,
  };
}

describe("alerts about one condition", () => {
  test("FIRING is sent at once, and RESOLVED after the condition has been absent for 30 minutes", () => {
    const { run, sent } = startTracking();
    expect(run(40, failing("a"))).toEqual(["FIRING endpoint.failing|salon|a 1"]);
    expect(run(30)).toEqual([]);
    expect(run(1)).toEqual(["RESOLVED endpoint.failing|salon|a 1"]);
    expect(sent).toMatchObject([
      {
        code: "endpoint.failing",
        status: "FIRING",
        severity: "info",
        business: "salon",
        subject: { id: "a", name: "a" },
        since: "2026-11-20T12:00:00.000Z",
        message: "the endpoint 'a' fails (salon)",
        fix: "deskbell webhooks show a",
      },
      { status: "RESOLVED", message: "Resolved: the endpoint 'a' fails (salon)" },
    ]);
  });

  test("RESOLVED of a short problem is sent 30 minutes after its end", () => {
    const { run } = startTracking();
    run(5, failing("a"));
    expect(run(30)).toEqual([]);
    expect(run(1)).toEqual(["RESOLVED endpoint.failing|salon|a 1"]);
  });

  test("a condition that returns after RESOLVED fires at once, and is resolved two hours later", () => {
    const { run } = startTracking();
    run(5, failing("a"));
    expect(run(31)).toHaveLength(1);
    expect(run(5, failing("a"))).toEqual(["FIRING endpoint.failing|salon|a 2"]);
    expect(run(115)).toEqual([]);
    expect(run(1)).toEqual(["RESOLVED endpoint.failing|salon|a 2"]);
  });

  test("a condition that returns before RESOLVED raises the count and sends no second FIRING", () => {
    const { run } = startTracking();
    expect(run(5, failing("a"))).toHaveLength(1);
    expect([run(10), run(5, failing("a")), run(10), run(5, failing("a"))].flat()).toEqual([]);
    expect(run(3 * 60)).toEqual(["RESOLVED endpoint.failing|salon|a 3"]);
  });

  test("conditions that return together raise each count by one", () => {
    const { run } = startTracking();
    const both = [failing("a"), failing("b")];
    expect(run(5, ...both)).toHaveLength(2);
    expect([run(10), run(5, ...both)].flat()).toEqual([]);
    expect(run(3 * 60).map((line) => line.at(-1))).toEqual(["2", "2"]);
  });

  test("a condition that returns before RESOLVED is resolved two hours after its alert", () => {
    const { run } = startTracking();
    expect(run(5, failing("a"))).toEqual(["FIRING endpoint.failing|salon|a 1"]);
    run(10);
    expect(run(50, failing("a"))).toEqual([]);
    expect(run(55)).toEqual([]);
    expect(run(1)).toEqual(["RESOLVED endpoint.failing|salon|a 2"]);
  });

  test("a condition that was open for an hour and returns after RESOLVED fires at once", () => {
    const { run } = startTracking();
    run(61, failing("a"));
    expect(run(31)).toHaveLength(1);
    expect(run(1, failing("a"))).toEqual(["FIRING endpoint.failing|salon|a 2"]);
  });

  test("a notice is repeated at most once an hour, and never resolved", () => {
    const { run } = startTracking();
    const exhausted = endpointCondition("delivery.exhausted", "a");
    expect(run(1, exhausted)).toHaveLength(1);
    expect(run(10)).toEqual([]);
    expect(run(1, exhausted)).toEqual([]);
    expect(run(60)).toEqual(["FIRING delivery.exhausted|salon|a 2"]);
    expect(run(24 * 60)).toEqual([]);
  });

  test("a notice about a visit is sent again at once, because its guest has moved it", () => {
    const { run, sent } = startTracking();
    const subject = { id: "bkg_1", name: "10:00" };
    const where = { business: "salon", subject };
    run(1, openCondition("booking.received", "a booking was made", "", where));
    run(5);
    const moved = openCondition("booking.received", "a booking was moved", "", where);
    expect(run(1, moved)).toEqual(["FIRING booking.received|salon|bkg_1 2"]);
    expect(run(24 * 60)).toEqual([]);
    expect(sent.at(-1)).toMatchObject({ message: "a booking was moved (salon)", subject });
  });

  test("a notice about a visit is sent even if the check before has found another notice about the visit", () => {
    const { run, sent } = startTracking();
    const subject = { id: "bkg_1", name: "10:00" };
    const moved = (text: string) =>
      openCondition("booking.received", text, "", { business: "salon", subject });
    expect(run(1, moved("moved to 11:00"))).toHaveLength(1);
    expect(run(1, moved("moved to 12:00"))).toEqual(["FIRING booking.received|salon|bkg_1 2"]);
    expect(sent.at(-1)).toMatchObject({ message: "moved to 12:00 (salon)" });
    expect(run(24 * 60)).toEqual([]);
  });

  test("a visit that its guest moves each minute causes three alerts an hour, the last with the newest time of the visit", () => {
    const { run, sent } = startTracking();
    const subject = { id: "bkg_1", name: "10:00" };
    const moved = (minute: number) =>
      openCondition("booking.received", `moved in minute ${minute}`, "", {
        business: "salon",
        subject,
      });
    for (let minute = 0; minute < 150; minute++) run(1, moved(minute));
    run(24 * 60);
    const minutes = sent.map(({ at }) => (Date.parse(at) - START) / MINUTE_MS);
    expect(minutes).toEqual([0, 1, 2, 62, 63, 64, 124, 125, 126, 186]);
    expect(sent.at(-1)).toMatchObject({ message: "moved in minute 149 (salon)", subject });
    // The next moves after a quiet day are reported at once again.
    for (let minute = 0; minute < 3; minute++) expect(run(1, moved(minute))).toHaveLength(1);
  });

  test("a visit that its guest moves after a quiet half hour has no fourth alert within the hour", () => {
    const { run, sent } = startTracking();
    const moved = openCondition("booking.received", "moved", "", {
      business: "salon",
      subject: { id: "bkg_1", name: "10:00" },
    });
    run(1, moved);
    run(34);
    run(3, moved);
    run(24 * 60);
    const minutes = sent.map(({ at }) => (Date.parse(at) - START) / MINUTE_MS);
    expect(minutes).toEqual([0, 35, 36, 96]);
    for (let minute = 0; minute < 3; minute++) expect(run(1, moved)).toHaveLength(1);
  });
});

describe("several conditions", () => {
  test("new conditions share one alert if at least five with the same code and business are open, the new ones included", () => {
    const { run, sent } = startTracking();
    run(1, failing("a"), failing("b"));
    const all = ["a", "b", "c", "d", "e", "f"].map(failing);
    expect(run(59, ...all)).toEqual(["FIRING endpoint.failing|salon|* 4"]);
    expect(sent.at(-1)).toMatchObject({
      subject: null,
      message:
        "the endpoint 'c' fails; the endpoint 'd' fails; the endpoint 'e' fails; the endpoint 'f' fails (salon)",
      fix: "deskbell status",
    });
    // The new condition repeats the alert, but only after an hour.
    expect(run(60, ...all, failing("g"))).toEqual(["FIRING endpoint.failing|salon|* 5"]);
    expect(run(60, failing("g"))).toEqual([
      "RESOLVED endpoint.failing|salon|a 1",
      "RESOLVED endpoint.failing|salon|b 1",
    ]);
    expect(run(60)).toEqual(["RESOLVED endpoint.failing|salon|* 5"]);
  });

  test("network.out is sent instead of alerts about endpoints, which follow if they still fail", () => {
    const { run } = startTracking();
    const out = serverCondition("network.out");
    expect(run(10, failing("a"), failing("b"), out)).toEqual(["FIRING network.out|| 1"]);
    expect(run(10, failing("b"))).toEqual(["FIRING endpoint.failing|salon|b 1"]);
  });

  test("a condition that a worse condition replaces is not reported as resolved before the worse condition ends", () => {
    const { run } = startTracking();
    const [low, full] = [serverCondition("storage.low"), serverCondition("storage.full")];
    expect(run(5, low)).toEqual(["FIRING storage.low|| 1"]);
    expect(run(180, full)).toEqual(["FIRING storage.full|| 1"]);
    expect(run(60)).toEqual(["RESOLVED storage.low|| 1", "RESOLVED storage.full|| 1"]);
  });
});

const CONDITIONS = ["a", "b", "c", "d", "e", "f"]
  .map(failing)
  .concat(serverCondition("network.out"));

test("conditions that flap for 24 hours send about one alert per hour for each cause, and the last alert is RESOLVED", () => {
  const flapping = fc.array(
    fc.record({ minutes: fc.integer({ min: 1, max: 50 }), open: fc.subarray(CONDITIONS) }),
    { minLength: 60, maxLength: 120, size: "max" },
  );
  fc.assert(
    fc.property(flapping, (phases) => {
      const { run, step, sent, causes } = startTracking();
      const lastOf = (fingerprint: string) =>
        sent.findLast((alert) => alert.fingerprint === fingerprint)?.status;
      for (const { minutes, open } of phases) {
        run(minutes, ...open);
        step(...open);
        const isOut = open.some(({ code }) => code === "network.out");
        for (const { code, business, subject } of open) {
          if (isOut && code === "endpoint.failing") continue;
          const own = lastOf([code, business ?? "", subject?.id ?? ""].join("|"));
          expect([own, lastOf([code, business, "*"].join("|"))]).toContain("FIRING");
        }
      }
      run(3 * 60);
      for (const alerts of Map.groupBy(sent, ({ fingerprint }) => fingerprint).values()) {
        alerts.forEach((alert, i) => {
          const at = Date.parse(alert.at);
          const before = alerts.slice(0, i).findLast(({ status }) => status === alert.status);
          expect(at - Date.parse(before?.at ?? "2026-01-01")).toBeGreaterThanOrEqual(HOUR_MS / 2);
        });
        expect(alerts.at(-1)?.status).toBe("RESOLVED");
        const hours = (Date.parse(alerts.at(-1)!.at) - START) / HOUR_MS;
        expect(alerts.length).toBeLessThanOrEqual(hours + 3);
      }
      expect(causes().every(({ status }) => status === "RESOLVED")).toBe(true);
    }),
    { numRuns: chooseScale(3, 150) },
  );
});

test("the newest 500 ended causes of alerts are stored, however many notices there are", () => {
  const { run, causes } = startTracking();
  const received = Array.from({ length: 600 }, (_, i) =>
    openCondition("booking.received", "a booking", "", {
      business: `salon-${i}`,
      subject: { id: `bkg_${i}`, name: "10:00" },
    }),
  );
  run(1, ...received);
  expect(causes()).toHaveLength(600);
  run(61);
  expect(causes()).toHaveLength(500);
  expect(causes().at(-1)?.fingerprint).toBe("booking.received|salon-599|bkg_599");
});
