import { expect, onTestFinished, test } from "vitest";
import { revokeKey } from "../../../src/app/key-end.ts";
import { listKeys, updateKey } from "../../../src/app/keys.ts";
import { createAlerting } from "../../../src/app/alerts/alerting.ts";
import { createBackup, listBackups } from "../../../src/app/operations/backups.ts";
import { runDoctor } from "../../../src/app/operations/doctor.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CHECKS } from "../../support/checks.ts";
import { readConfig } from "../../../src/config.ts";
import { createAlertChannels } from "../../../src/delivery/alert-channels.ts";
import type { Alert } from "../../../src/domain/conditions/alert.ts";
import { conditionKind, listConditionCodes } from "../../../src/domain/conditions/registry.ts";
import type { App } from "../../../src/http/app.ts";
import { createTestApp } from "../../support/app.ts";
import { createRunningServer, INJECTIONS, type RunningServer } from "../../support/conditions.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { asOperator } from "../../support/operator.ts";
import { emitEvents } from "../../support/delivery.ts";
import { createReceiver } from "../../support/receiver.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Conditions that the daemon cannot see, since it would be right about itself. */
const COMMANDS_ONLY: ReadonlySet<string> = new Set(["daemon.stopped", "clock.differs"]);

/** Returns the codes that the operator sees, and the status of /readyz. */
async function listCodes(rt: RunningServer, app: App) {
  const metrics = await (await app.request("/metrics", asOperator(rt))).text();
  const checks = await Array.fromAsync(
    runDoctor(rt.config, { open: async () => rt, askDaemon: async () => ({ at: rt.now() }) }),
  );
  return {
    status: readStatus(rt, CHECKS).problems.map(({ code }) => code),
    doctor: checks.flatMap(({ findings }) => findings.flatMap(({ code }) => code ?? [])),
    metrics: [
      ...metrics.matchAll(/^deskbell_condition\{code="(\S+)",severity="\w+"\} [1-9]/gm),
    ].map(([, code]) => code),
    ready: (await app.request("/readyz")).status,
  };
}

/** Starts the alerts of the daemon, with a receiver of HTTP requests and one of mails. */
async function startAlerting(rt: RunningServer) {
  const operator = await createReceiver();
  const { mails, url } = await startMailServer();
  const flags = { alertUrl: operator.url, alertMail: "ada@example.com" };
  const { alerts } = readConfig(flags, { DESKBELL_SMTP_URL: url });
  const channels = createAlertChannels(alerts);
  onTestFinished(channels.close);
  const alerting = createAlerting(rt, CHECKS, channels);
  return {
    /** Checks the conditions after a while. @returns what the operator received */
    async pass(ms: number) {
      rt.advance(ms);
      operator.requests.length = 0;
      mails.length = 0;
      rt.logged.length = 0;
      await alerting.tick();
      return {
        alerts: operator.requests.map(({ body }) => {
          const { code, status } = JSON.parse(body.toString()) as Alert;
          return `${code} ${status}`;
        }),
        mails: mails.map(
          (mail) =>
            `${/^code: (.*?)\r?$/m.exec(mail)?.[1]} ${/^status: (.*?)\r?$/m.exec(mail)?.[1]}`,
        ),
        log: rt.logged.map(({ level, fields }) => `${fields.code} ${level}`),
      };
    },
  };
}

test(
  "every condition appears in status, doctor, metrics, /readyz, log, HTTP alert and mail, and so does its end",
  { timeout: 60_000 },
  async () => {
    const rt = await createRunningServer();
    const { pass } = await startAlerting(rt);
    const app = createTestApp(rt);
    const none = { status: [], doctor: [], metrics: [], ready: 200 };
    expect(await listCodes(rt, app)).toEqual(none);
    for (const code of listConditionCodes()) {
      const { severity, isUnready } = conditionKind(code);
      const end = await INJECTIONS[code](rt);
      const found = await listCodes(rt, app);
      expect(found.status, "status").toContain(code);
      // A command cannot open a database that is gone, and a stopped daemon serves no metrics.
      if (code !== "storage.gone") expect(found.doctor, "doctor").toContain(code);
      if (!COMMANDS_ONLY.has(code)) expect(found.metrics, "metrics").toContain(code);
      expect(found.ready, code).toBe(isUnready ? 503 : 200);
      const hasAlerts = !COMMANDS_ONLY.has(code);
      let sent = await pass(10_000);
      // The injection has advanced the clock at once, as if the process had been stopped meanwhile.
      for (let i = 0; i < 5 && conditionKind(code).isLateness; i++)
        if (sent.alerts.length === 0) sent = await pass(25_000);
      if (hasAlerts) {
        expect(sent.alerts).toContain(`${code} FIRING`);
        expect(sent.mails).toContain(`${code} FIRING`);
        expect(sent.log).toContain(`${code} ${severity === "critical" ? "error" : "warn"}`);
      }

      await end();
      expect(await listCodes(rt, app), `the end of ${code}`).toEqual(none);
      const ended = await pass(MINUTE_MS);
      if (hasAlerts) expect(ended.log).toContain(`${code} info`);
      expect([...ended.alerts, ...ended.mails]).toEqual([]);
      if (rt.now() - listBackups(rt.config)[0]!.createdAt > DAY_MS) await createBackup(rt);
      const resolved = await pass(60 * MINUTE_MS);
      if (hasAlerts) expect(resolved.alerts).toContain(`${code} RESOLVED`);
      if (hasAlerts) expect(resolved.mails).toContain(`${code} RESOLVED`);
    }
  },
);

test("doctor reports a condition of any area", async () => {
  const rt = await createRunningServer();
  const app = createTestApp(rt);
  const code = "proxy.one_address";
  await INJECTIONS[code](rt);
  const areas = listConditionCodes().map((each) => conditionKind(each).about);
  const { about: own } = conditionKind(code);
  onTestFinished(() => void Object.assign(conditionKind(code), { about: own }));
  for (const about of areas) {
    Object.assign(conditionKind(code), { about });
    expect((await listCodes(rt, app)).doctor, about).toEqual([code]);
  }
});

test.each([40, -40])(
  "a command whose clock differs by %i days names that and nothing else",
  async (days) => {
    const rt = await createRunningServer();
    const now = rt.now();
    const clock = { clockSource: "boot", clockOffsetMs: rt.machineClock.offset() };
    rt.tx(() => {
      rt.store.daemon.save({ url: "http://127.0.0.1:1", startedAt: now, ...clock });
      rt.store.daemon.saveCertificateExpiry(now + 30 * DAY_MS);
    });
    emitEvents(rt, rt.business, "service.updated");
    const command = createTestRuntime({ dataDir: rt.config.dataDir }, now + days * DAY_MS);
    command.freeBytes = rt.freeBytes;
    command.machineClock.source = () => "boot";
    expect(readStatus(command, CHECKS).problems).toMatchObject([
      {
        code: "clock.differs",
        text: `the clock of this command says ${days > 0 ? "2026-12-30" : "2026-10-11"}T12:00:00Z, the daemon's 2026-11-20T12:00:00Z, which is used here: one of them is faked, such as by faketime`,
      },
    ]);
    const start = rt.stopDaemon();
    expect(readStatus(command, CHECKS).problems.map(({ code }) => code)).not.toContain(
      "clock.differs",
    );
    start();
    // The clock of another machine, or another boot of this one, cannot be compared.
    command.machineClock.source = () => "another boot";
    expect(readStatus(command, CHECKS).problems.map(({ code }) => code)).not.toContain(
      "clock.differs",
    );
  },
);

test("a daemon that stands still for hours is not taken for one whose clock differs", async () => {
  const rt = await createRunningServer();
  const clockSource = rt.machineClock.source();
  const clockOffsetMs = rt.machineClock.offset();
  const daemon = { url: "http://127.0.0.1:1", startedAt: rt.now(), clockSource, clockOffsetMs };
  rt.tx(() => rt.store.daemon.save(daemon));
  emitEvents(rt, rt.business, "service.updated");
  rt.advance(3 * 60 * MINUTE_MS);
  const codes = readStatus(rt, CHECKS).problems.map(({ code }) => code);
  expect(codes).toEqual(["delivery.stalled"]);
});

test.each(["key.booking_fast", "holds.unused"] as const)(
  "the problem %s of a key ends when the key is revoked, and when it expires",
  async (code) => {
    for (const end of ["revoke", "expire"] as const) {
      const rt = await createRunningServer();
      INJECTIONS[code](rt);
      const problems = () => readStatus(rt, CHECKS).problems.map((problem) => problem.code);
      expect(problems()).toContain(code);
      const [key] = listKeys(rt);
      if (end === "revoke") revokeKey(rt, key?.id ?? "");
      else {
        updateKey(rt, key?.id ?? "", { expiresAt: rt.now() + 1000 });
        rt.advance(1000);
      }
      expect(problems(), end).not.toContain(code);
    }
  },
);
