import { renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { OPERATOR } from "../../../src/app/bookings/access.ts";
import { notifyReceived } from "../../../src/app/bookings/booking-alerts.ts";
import { BOOKING } from "../../../src/app/bookings/visit-kinds.ts";
import { changeBooking } from "../../../src/app/bookings/operator-changes.ts";
import { createAlerting } from "../../../src/features/alerts/alerting.ts";
import type { AlertChannel } from "../../../src/features/alerts/channel-queue.ts";
import { createAlertStore } from "../../../src/features/alerts/store.ts";
import { listAlerts } from "../../../src/features/alerts/list-alerts.ts";
import { notify } from "../../../src/app/notices.ts";
import { requestTest, takeTestResults } from "../../../src/features/alerts/test-alert.ts";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { CHECKS } from "../../support/checks.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { shownStatus } from "../../../src/features/alerts/rules/formats.ts";
import type { Alert } from "../../../src/features/alerts/rules/alert.ts";
import { openCondition } from "../../../src/domain/conditions/registry.ts";
import { createRunningServer } from "../../support/conditions.ts";
import { emitEvents } from "../../support/delivery.ts";
import { holdLock } from "../../support/hold-lock.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { SALON } from "../../http/support/api.ts";
import { openPendingVisit } from "../desk/alert-links/open-pending-visit.ts";
import { businessOf } from "../desk/open-desk.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** A channel that keeps its alerts, and fails while `error` is set. */
function createTestChannel(name = "--alert-url", resends = false) {
  const sent: string[] = [];
  const channel: AlertChannel & { error?: string } = {
    name,
    resends,
    async send({ code, status }: Alert) {
      if (channel.error !== undefined) throw new Error(channel.error);
      sent.push(`${code} ${status}`);
    },
  };
  return Object.assign(channel, { sent });
}

/** Creates a server with free space that the test sets. */
function setUp() {
  const rt = createTestRuntime();
  const disk = { free: 10_000_000_000 };
  rt.freeBytes = () => disk.free;
  const fill = () => (disk.free = 400_000_000);
  const clear = () => (disk.free = 10_000_000_000);
  return { rt, fill, clear };
}

const startWith = (rt: TestRuntime, ...channels: AlertChannel[]) => {
  const { tick } = createAlerting(rt, CHECKS, { channels });
  return async (ms: number) => {
    rt.advance(ms);
    await tick();
  };
};

test("a daemon that was stopped reports late deliveries only after it has had time to catch up", async () => {
  const rt = await createRunningServer();
  const channel = createTestChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  emitEvents(rt, rt.business, "service.updated");
  await pass(5 * MINUTE_MS);
  for (let i = 0; i < 11; i++) await pass(10 * SECOND_MS);
  expect(channel.sent).toEqual([]);
  await pass(10 * SECOND_MS);
  expect(channel.sent).toEqual(["delivery.stalled FIRING"]);
});

test("a missing master key sends one alert, and status hides the problems that it causes", async () => {
  const rt = await createRunningServer();
  const channel = createTestChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  rmSync(rt.config.masterKeyPath);
  emitEvents(rt, rt.business, "service.updated");
  for (let i = 0; i < 260; i++) await pass(15 * SECOND_MS);
  expect(listDaemonConditions(rt, CHECKS).map(({ code }) => code)).toEqual([
    "delivery.stalled",
    "deliveries.stuck",
    "master_key.missing",
  ]);
  expect(channel.sent).toEqual(["master_key.missing FIRING"]);
  expect(readStatus(rt, CHECKS).problems.map(({ code }) => code)).toEqual(["master_key.missing"]);
});

test("until RESOLVED is sent, alerts list shows since when the problem is over", async () => {
  const { rt, fill, clear } = setUp();
  const pass = startWith(rt, createTestChannel());
  fill();
  await pass(0);
  expect(listAlerts(rt)).toMatchObject([{ status: "FIRING", clearSince: null }]);
  clear();
  await pass(MINUTE_MS);
  const clearSince = new Date(rt.now()).toISOString();
  expect(listAlerts(rt)).toMatchObject([{ status: "FIRING", clearSince }]);
  await pass(30 * MINUTE_MS);
  expect(listAlerts(rt)).toMatchObject([{ status: "RESOLVED", clearSince: null }]);
});

test("alerts list shows for each alert the channels that have not accepted it yet", async () => {
  const { rt } = setUp();
  const channel = createTestChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  rt.tx(() => notify(rt, openCondition("booking.received", "a booking was made", "")));
  await pass(10 * SECOND_MS);
  channel.error = "no route";
  rt.tx(() => notify(rt, openCondition("delivery.exhausted", "it failed", "")));
  await pass(10 * SECOND_MS);
  const waiting = listAlerts(rt).map(({ code, waitingFor }) => [code, waitingFor]);
  expect(Object.fromEntries(waiting)).toEqual({
    "booking.received": [],
    "delivery.exhausted": ["--alert-url"],
  });
});

test("a channel with refused settings is reported through the other channels at the start", async () => {
  const { rt } = setUp();
  const other = createTestChannel("--alert-url");
  const refused: AlertChannel = {
    ...createTestChannel("--alert-mail"),
    check: () => Promise.reject(new Error("the mail server has no TLS")),
    send: () => Promise.reject(new Error("the mail server has no TLS")),
  };
  const pass = startWith(rt, other, refused);
  await pass(0);
  await pass(10 * SECOND_MS);
  expect(other.sent).toEqual(["alerts.failing FIRING"]);
  expect(listDaemonConditions(rt, CHECKS)).toMatchObject([
    { text: expect.stringContaining("--alert-mail has failed"), subject: { id: "--alert-mail" } },
  ]);
});

test("a condition is logged when it begins and ends, and RESOLVED is sent only after the condition has stayed absent", async () => {
  const { rt, fill, clear } = setUp();
  const channel = createTestChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  expect([channel.sent, rt.logged]).toEqual([[], []]);
  fill();
  await pass(10 * SECOND_MS);
  expect(channel.sent).toEqual(["storage.low FIRING"]);
  expect(rt.logged).toEqual([
    {
      level: "warn",
      message: expect.stringMatching(/^Only 400 MB free/),
      fields: {
        code: "storage.low",
        severity: "warning",
        business: null,
        subject: null,
        fix: expect.stringContaining("df -h"),
      },
    },
  ]);
  clear();
  await pass(50 * MINUTE_MS);
  expect(rt.logged.at(-1)).toMatchObject({
    level: "info",
    message: expect.stringMatching(/^ended: Only 400 MB free/),
  });
  expect(channel.sent).toHaveLength(1);
  await pass(30 * MINUTE_MS);
  expect(channel.sent).toEqual(["storage.low FIRING", "storage.low RESOLVED"]);
});

test("a restarted daemon repeats no alert and loses no RESOLVED", async () => {
  const { rt, fill, clear } = setUp();
  const channel = createTestChannel();
  fill();
  await startWith(rt, channel)(0);
  await startWith(rt, channel)(10 * SECOND_MS);
  expect(channel.sent).toEqual(["storage.low FIRING"]);
  clear();
  await startWith(rt, channel)(MINUTE_MS);
  channel.error = "ECONNREFUSED";
  await startWith(rt, channel)(60 * MINUTE_MS);
  expect(listAlerts(rt)).toMatchObject([{ status: "RESOLVED", waitingFor: ["--alert-url"] }]);
  delete channel.error;
  await startWith(rt, channel)(SECOND_MS);
  await startWith(rt, channel)(60 * MINUTE_MS);
  expect(channel.sent).toEqual(["storage.low FIRING", "storage.low RESOLVED"]);
  expect(listAlerts(rt)).toMatchObject([{ status: "RESOLVED", waitingFor: [] }]);
});

test("status shows since when a condition is open, even if it ended and returned", async () => {
  const { rt, fill, clear } = setUp();
  const pass = startWith(rt, createTestChannel());
  const since = () => listDaemonConditions(rt, CHECKS).map((condition) => condition.since);
  fill();
  expect(since()).toEqual([null]);
  await pass(0);
  expect(since()).toEqual([rt.now()]);
  await pass(MINUTE_MS);
  expect(since()).toEqual([rt.now() - MINUTE_MS]);
  clear();
  await pass(MINUTE_MS);
  expect(since()).toEqual([]);
  fill();
  await pass(MINUTE_MS);
  expect(since()).toEqual([rt.now()]);
});

test("a newly configured channel gets the alerts that are firing", async () => {
  const { rt, fill } = setUp();
  const [first, second] = [createTestChannel(), createTestChannel("--alert-mail")];
  fill();
  await startWith(rt, first)(0);
  for (let start = 0; start < 2; start++) await startWith(rt, first, second)(SECOND_MS);
  expect([first.sent, second.sent]).toEqual([["storage.low FIRING"], ["storage.low FIRING"]]);
});

test("alerts are sent from memory while the storage cannot be written, and saved afterwards", async () => {
  const { rt } = setUp();
  const channel = createTestChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  const { databasePath } = rt.config;
  renameSync(databasePath, `${databasePath}.away`);
  await pass(10 * SECOND_MS);
  await pass(10 * SECOND_MS);
  expect(channel.sent).toEqual(["storage.gone FIRING"]);
  expect(listAlerts(rt)).toEqual([]);
  renameSync(`${databasePath}.away`, databasePath);
  await pass(10 * SECOND_MS);
  expect(listAlerts(rt)).toMatchObject([{ code: "storage.gone", status: "FIRING" }]);
});

test("a failing channel is retried, and is reported through the other channels after three failures", async () => {
  const { rt, fill } = setUp();
  const broken = createTestChannel();
  const mail = createTestChannel("--alert-mail");
  broken.error = "HTTP 500";
  const pass = startWith(rt, broken, mail);
  fill();
  for (const ms of [0, 2 * SECOND_MS, 10 * SECOND_MS, 10 * SECOND_MS]) await pass(ms);
  expect(mail.sent).toEqual(["storage.low FIRING", "alerts.failing FIRING"]);
  expect(listDaemonConditions(rt, CHECKS).map(({ code, text }) => ({ code, text }))).toContainEqual(
    {
      code: "alerts.failing",
      text: "--alert-url has failed since 2026-11-20T12:00:00Z: HTTP 500",
    },
  );
  expect(rt.logged).toContainEqual({
    level: "error",
    message: "An alert could not be sent; it is retried.",
    fields: { channel: "--alert-url", code: "storage.low", reason: "HTTP 500" },
  });
  delete broken.error;
  await pass(5 * MINUTE_MS);
  expect(broken.sent.toSorted()).toEqual(["alerts.failing FIRING", "storage.low FIRING"]);
  expect(listDaemonConditions(rt, CHECKS).map(({ code }) => code)).toEqual(["storage.low"]);
  expect(rt.logged).toContainEqual(
    expect.objectContaining({ level: "info", message: "Alerts are sent again." }),
  );
});

test("Alertmanager gets every open alert again each minute", async () => {
  const { rt, fill } = setUp();
  const alertmanager = createTestChannel("--alert-url", true);
  const pass = startWith(rt, alertmanager);
  fill();
  for (const ms of [0, 30 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS]) await pass(ms);
  expect(alertmanager.sent).toEqual(Array(3).fill("storage.low FIRING"));
});

test("the heartbeat is sent each minute while no critical condition is open", async () => {
  const rt = createTestRuntime();
  let free = 400_000_000;
  rt.freeBytes = () => free;
  const heartbeat = createTestChannel("--heartbeat-url");
  const { tick } = createAlerting(rt, CHECKS, { channels: [], heartbeat });
  const pass = async (ms: number) => {
    rt.advance(ms);
    await tick();
    return heartbeat.sent.length;
  };
  expect([await pass(0), await pass(30 * SECOND_MS), await pass(30 * SECOND_MS)]).toEqual([
    1, 1, 2,
  ]);
  free = 1000;
  expect([await pass(MINUTE_MS), await pass(MINUTE_MS)]).toEqual([2, 2]);
  free = 10_000_000_000;
  expect(await pass(MINUTE_MS)).toBe(3);
});

test("a heartbeat that another writer's lock has stopped is sent in the next second", async () => {
  const rt = createTestRuntime({}, undefined, 0);
  const alertmanager = createTestChannel("--alert-url", true);
  const heartbeat = createTestChannel("--heartbeat-url");
  const { tick } = createAlerting(rt, CHECKS, { channels: [alertmanager], heartbeat });
  rt.freeBytes = () => 400_000_000;
  await tick();
  rt.advance(MINUTE_MS);
  const release = holdLock(rt);
  await tick();
  expect(heartbeat.sent).toHaveLength(1);
  release();
  rt.advance(SECOND_MS);
  await tick();
  expect(heartbeat.sent).toHaveLength(2);
  // The alert that was sent again a second ago is not sent once more.
  expect(alertmanager.sent).toEqual(Array(2).fill("storage.low FIRING"));
});

test("a critical notice does not stop the heartbeat, because nothing is wrong with the server", async () => {
  const rt = createTestRuntime();
  const heartbeat = createTestChannel("--heartbeat-url");
  const { tick } = createAlerting(rt, CHECKS, { channels: [], heartbeat });
  rt.tx(() => notify(rt, openCondition("key.rotated_itself", "a key was rotated", "")));
  await tick();
  expect(heartbeat.sent).toHaveLength(1);
});

test("a failing check is logged once and stops the heartbeat", async () => {
  const rt = createTestRuntime();
  const { freeBytes } = rt;
  const heartbeat = createTestChannel("--heartbeat-url");
  const { tick } = createAlerting(rt, CHECKS, { channels: [], heartbeat });
  const pass = async () => {
    rt.advance(MINUTE_MS);
    await tick();
    return heartbeat.sent.length;
  };
  rt.freeBytes = () => {
    throw new Error("EIO: i/o error, statfs");
  };
  expect([await pass(), await pass()]).toEqual([0, 0]);
  expect(rt.logged).toEqual([
    {
      level: "error",
      message: "The health conditions could not be checked.",
      fields: { reason: "i/o error, statfs" },
    },
  ]);
  rt.freeBytes = freeBytes;
  expect(await pass()).toBe(1);
});

test("a notice from another process is sent once", async () => {
  const { rt } = setUp();
  const channel = createTestChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  const other = createTestRuntime({ dataDir: rt.config.dataDir });
  other.tx(() => notify(other, openCondition("delivery.exhausted", "it failed", "")));
  await pass(10 * SECOND_MS);
  await pass(10 * SECOND_MS);
  expect(channel.sent).toEqual(["delivery.exhausted FIRING"]);
  expect(rt.logged).toMatchObject([{ level: "info", message: "it failed" }]);
  expect(rt.openStore(createAlertStore).list("notice")).toEqual([]);
});

/** Stores a notice about a visit, as its booking or a move does. */
function notifyOfVisit(rt: TestRuntime, text: string): void {
  const subject = { id: "bkg_1", name: text };
  const where = { business: "salon", subject, since: rt.now() };
  rt.tx(() => notify(rt, openCondition("booking.received", text, "", where)));
}

/** Creates a channel that keeps the messages of its alerts. */
function createMessageChannel() {
  const messages: string[] = [];
  const send = async ({ message }: Alert) => void messages.push(message);
  return { ...createTestChannel(), send, messages };
}

test("a notice is sent once, even if another program's lock delays the deletion of the notice", async () => {
  const rt = createTestRuntime({}, undefined, 0);
  const channel = createMessageChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  notifyOfVisit(rt, "a booking at 10:00");
  const release = holdLock(rt);
  for (let i = 0; i < 3; i++) await pass(10 * SECOND_MS);
  release();
  for (let i = 0; i < 3; i++) await pass(10 * SECOND_MS);
  expect(channel.messages).toEqual(["a booking at 10:00 (salon)"]);
  expect(rt.openStore(createAlertStore).list("notice")).toEqual([]);
});

test("a notice is sent even if the sent notice that it replaces is not deleted yet", async () => {
  const rt = createTestRuntime({}, undefined, 0);
  const channel = createMessageChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  notifyOfVisit(rt, "a booking at 10:00");
  const release = holdLock(rt);
  await pass(10 * SECOND_MS);
  release();
  notifyOfVisit(rt, "moved to 11:00");
  for (let i = 0; i < 20; i++) await pass(SECOND_MS);
  expect(channel.messages).toEqual(["a booking at 10:00 (salon)", "moved to 11:00 (salon)"]);
  expect(rt.openStore(createAlertStore).list("notice")).toEqual([]);
});

test.each([
  ["still waits for a decision", 4],
  ["was decided meanwhile", 3],
] as const)("four notices in a row about a visit that %s cause %i alerts", async (state, count) => {
  const { api, id } = openPendingVisit();
  const channel = createMessageChannel();
  const pass = startWith(api, channel);
  await pass(0);
  const business = businessOf(api);
  for (let i = 0; i < 4; i++) {
    const visit = api.store.bookings.findById(business.id, id)!;
    api.tx(() => notifyReceived(api, business, OPERATOR, BOOKING, visit));
    await pass(10 * SECOND_MS);
  }
  const listSent = () => channel.messages.filter((message) => message.startsWith("a booking of "));
  expect(listSent()).toHaveLength(3);
  if (state === "was decided meanwhile") changeBooking(api, business.slug, id, "approve");
  for (let i = 0; i < 14; i++) await pass(5 * MINUTE_MS);
  expect(listSent()).toHaveLength(count);
});

test("the alert of a visit that needs no decision asks for none", async () => {
  const { api, id } = openPendingVisit();
  const channel = createMessageChannel();
  const pass = startWith(api, channel);
  await pass(0);
  const business = businessOf(api);
  changeBooking(api, business.slug, id, "approve");
  const visit = api.store.bookings.findById(business.id, id)!;
  api.tx(() => notifyReceived(api, business, OPERATOR, BOOKING, visit));
  await pass(10 * SECOND_MS);
  expect(channel.messages).toEqual([expect.stringContaining("a booking of ")]);
  expect(listAlerts(api).filter((alert) => "asksForDecision" in alert)).toEqual([]);
});

test.each([
  ["approve", "booking.received", []],
  ["approve", "booking.undecided", []],
  [undefined, "booking.received", ["booking.received FIRING"]],
  [undefined, "booking.undecided", ["booking.undecided FIRING"]],
] as const)(
  "after the decision %s, a channel that works again gets the waiting alert %s as %j",
  async (decision, code, expected) => {
    const { api, id } = openPendingVisit();
    const channel = createTestChannel();
    const pass = startWith(api, channel);
    await pass(0);
    channel.error = "HTTP 503";
    const business = businessOf(api);
    const visit = api.store.bookings.findById(business.id, id)!;
    if (code === "booking.received")
      api.tx(() => notifyReceived(api, business, OPERATOR, BOOKING, visit));
    else await pass(70 * MINUTE_MS);
    await pass(10 * SECOND_MS);
    const waiting = listAlerts(api).filter(({ status }) => status === "FIRING");
    expect(waiting).toMatchObject([{ code, asksForDecision: true }]);
    if (decision) changeBooking(api, business.slug, id, decision);
    delete channel.error;
    await pass(MINUTE_MS);
    expect(channel.sent.filter((alert) => alert.startsWith("booking."))).toEqual(expected);
  },
);

test("a channel that works again gets the waiting alert of a visit that needed no decision", async () => {
  const { api, id } = openPendingVisit();
  changeBooking(api, SALON, id, "approve");
  const channel = createTestChannel();
  const pass = startWith(api, channel);
  await pass(0);
  channel.error = "HTTP 503";
  const business = businessOf(api);
  const visit = api.store.bookings.findById(business.id, id)!;
  api.tx(() => notifyReceived(api, business, OPERATOR, BOOKING, visit));
  await pass(10 * SECOND_MS);
  delete channel.error;
  await pass(MINUTE_MS);
  expect(channel.sent).toContain("booking.received FIRING");
});

test("alerts list shows notices after the firing alerts, and never as resolved", async () => {
  const { rt, fill } = setUp();
  const pass = startWith(rt);
  const notice = openCondition("booking.received", "a booking of Cut was made", "");
  rt.tx(() => notify(rt, notice));
  await pass(10 * SECOND_MS);
  await pass(2 * 60 * MINUTE_MS);
  fill();
  await pass(10 * SECOND_MS);
  const listed = listAlerts(rt).map((alert) => [shownStatus(alert), alert.message]);
  expect(listed).toEqual([
    ["FIRING", expect.stringMatching(/^only 400 MB free/i)],
    ["NOTICE", "a booking of Cut was made"],
  ]);
});

test("the daemon sends a requested test alert through each channel and reports the results", async () => {
  const { rt } = setUp();
  const [good, bad] = [createTestChannel(), createTestChannel("--alert-mail")];
  bad.error = "no such user";
  const pass = startWith(rt, good, bad);
  const key = requestTest(rt);
  expect(takeTestResults(rt, key)).toBeUndefined();
  await pass(0);
  expect(takeTestResults(rt, key)).toEqual([
    { channel: "--alert-url", isSent: true, error: null },
    { channel: "--alert-mail", isSent: false, error: "no such user" },
  ]);
  expect(good.sent).toEqual(["alert.test FIRING"]);
  expect(rt.openStore(createAlertStore).list("test")).toEqual([]);
});

test("the daemon sends a requested message through its channels but not as a heartbeat", async () => {
  const { rt } = setUp();
  const [channel, heartbeat] = [createTestChannel(), createTestChannel("--heartbeat-url")];
  const { tick } = createAlerting(rt, CHECKS, { channels: [channel], heartbeat });
  const key = requestTest(rt, { text: "The till is out of paper.", severity: "critical" });
  await tick();
  expect(takeTestResults(rt, key)).toEqual([{ channel: "--alert-url", isSent: true, error: null }]);
  expect(channel.sent).toEqual(["alert.message FIRING"]);
  expect(heartbeat.sent).not.toContain("alert.message FIRING");
});

test("a requested alert is sent once, even if another writer's lock delays its result", async () => {
  const rt = createTestRuntime({}, undefined, 0);
  const channel = createTestChannel();
  const pass = startWith(rt, channel);
  await pass(0);
  const keys = [requestTest(rt), requestTest(rt, { text: "No paper.", severity: "info" })];
  const release = holdLock(rt);
  for (let i = 0; i < 3; i++) await pass(SECOND_MS);
  release();
  await pass(SECOND_MS);
  await pass(SECOND_MS);
  expect(channel.sent.toSorted()).toEqual(["alert.message FIRING", "alert.test FIRING"]);
  for (const key of keys)
    expect(takeTestResults(rt, key)).toEqual([
      { channel: "--alert-url", isSent: true, error: null },
    ]);
});

test("a notice is logged once and has no end", async () => {
  const { rt } = setUp();
  const pass = startWith(rt);
  const subject = { id: "bkg_1", name: "10:00" };
  rt.tx(() =>
    notify(rt, openCondition("booking.received", "a booking", "", { business: "salon", subject })),
  );
  await pass(10 * SECOND_MS);
  await pass(10 * SECOND_MS);
  expect(rt.logged.map(({ message }) => message)).toEqual(["a booking"]);
});

test("other work of the thread runs between two checks", async () => {
  const ran: string[] = [];
  const checks = ["first", "second"].map((name) => () => {
    ran.push(name);
    setImmediate(() => ran.push(`work after the ${name}`));
    return [];
  });
  const { tick } = createAlerting(createTestRuntime(), checks, { channels: [] });
  await tick();
  expect(ran).toEqual(["first", "work after the first", "second", "work after the second"]);
});

test("a stop of the alerts waits for the check that is running, skips the remaining checks, and ends no open condition", async () => {
  const rt = createTestRuntime();
  const ran: string[] = [];
  const open = openCondition("storage.low", "little space", "df");
  const checks = ["first", "second"].map((name) => () => {
    ran.push(name);
    return [open];
  });
  const { tick, stop } = createAlerting(rt, checks, { channels: [] });
  await tick();
  rt.advance(10 * SECOND_MS);
  void tick().then(() => ran.push("settled"));
  await stop();
  expect(ran).toEqual(["first", "second", "first", "settled"]);
  expect(rt.logged.map(({ message }) => message)).toEqual(["little space"]);
});

test("a tick during a check of the conditions starts no second check and sends no heartbeat", async () => {
  const rt = createTestRuntime();
  const heartbeat = createTestChannel("--heartbeat-url");
  let checked = 0;
  const checks = [1, 2].map(() => () => {
    checked += 1;
    return [];
  });
  const { tick, checkSoon } = createAlerting(rt, checks, { channels: [], heartbeat });
  const first = tick();
  await tick();
  expect(heartbeat.sent).toEqual([]);
  await first;
  expect(checked).toBe(2);
  checkSoon();
  rt.advance(MINUTE_MS);
  await tick();
  expect([checked, heartbeat.sent.length]).toEqual([4, 1]);
});
