import { expect, test } from "vitest";
import { revokeKey } from "../../../src/app/key-end.ts";
import { listKeys, updateKey } from "../../../src/app/keys.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CHECKS } from "../../support/checks.ts";
import { conditionKind, listConditionCodes } from "../../../src/domain/conditions/registry.ts";
import type { App } from "../../../src/http/app.ts";
import { createTestApp } from "../../support/app.ts";
import {
  COMMANDS_ONLY,
  createRunningServer,
  INJECTIONS,
  prepareForFeatures,
  type RunningServer,
} from "../../support/conditions.ts";
import { asOperator } from "../../support/operator.ts";
import { emitEvents } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Returns the codes that the operator sees, and the status of /readyz. */
async function listCodes(rt: RunningServer, app: App) {
  const metrics = await (await app.request("/metrics", asOperator(rt))).text();
  return {
    status: readStatus(rt, CHECKS).problems.map(({ code }) => code),
    metrics: [
      ...metrics.matchAll(/^deskbell_condition\{code="(\S+)",severity="\w+"\} [1-9]/gm),
    ].map(([, code]) => code),
    ready: (await app.request("/readyz")).status,
  };
}

test(
  "status and metrics report each condition until it ends, and /readyz fails while one makes the server unready",
  { timeout: 60_000 },
  async () => {
    const rt = await createRunningServer();
    const app = createTestApp(rt);
    const none = { status: [], metrics: [], ready: 200 };
    expect(await listCodes(rt, app)).toEqual(none);
    for (const code of listConditionCodes()) {
      const end = await INJECTIONS[code](rt);
      const found = await listCodes(rt, app);
      expect(found.status, "status").toContain(code);
      // The daemon cannot see the conditions in `COMMANDS_ONLY`, so its metrics do not contain
      // them.
      if (!COMMANDS_ONLY.has(code)) expect(found.metrics, "metrics").toContain(code);
      expect(found.ready, code).toBe(conditionKind(code).isUnready ? 503 : 200);

      await end();
      expect(await listCodes(rt, app), `the end of ${code}`).toEqual(none);
      rt.advance(HOUR_MS);
      await prepareForFeatures(rt);
    }
  },
);

test.each([40, -40])(
  "a command whose clock differs from the daemon's by %i days reports the difference as the only problem",
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
    // The clock of another machine, or of another boot of this machine, cannot be compared.
    command.machineClock.source = () => "another boot";
    expect(readStatus(command, CHECKS).problems.map(({ code }) => code)).not.toContain(
      "clock.differs",
    );
  },
);

test("a daemon that stands still for hours is not reported as a daemon whose clock differs", async () => {
  const rt = await createRunningServer();
  const clockSource = rt.machineClock.source();
  const clockOffsetMs = rt.machineClock.offset();
  const daemon = { url: "http://127.0.0.1:1", startedAt: rt.now(), clockSource, clockOffsetMs };
  rt.tx(() => rt.store.daemon.save(daemon));
  emitEvents(rt, rt.business, "service.updated");
  rt.advance(3 * HOUR_MS);
  const codes = readStatus(rt, CHECKS).problems.map(({ code }) => code);
  expect(codes).toEqual(["delivery.stalled"]);
});

test.each(["key.booking_fast", "holds.unused", "key.no_secret"] as const)(
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
