import { expect, onTestFinished, test } from "vitest";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { readConfig } from "../../../src/config.ts";
import { conditionKind, listConditionCodes } from "../../../src/domain/conditions/registry.ts";
import { createAlerting } from "../../../src/features/alerts/alerting.ts";
import { createAlertChannels } from "../../../src/features/alerts/channels.ts";
import type { Alert } from "../../../src/features/alerts/rules/alert.ts";
import { CHECKS } from "../../support/checks.ts";
import {
  COMMANDS_ONLY,
  createRunningServer,
  INJECTIONS,
  prepareForFeatures,
  type RunningServer,
} from "../../support/conditions.ts";
import { createReceiver } from "../../support/receiver.ts";
import { startMailServer } from "./mail-server.ts";

const MINUTE_MS = 60_000;

/** Starts the alerts of the daemon, with a receiver of HTTP requests and a mail server. */
async function startAlerting(rt: RunningServer) {
  const operator = await createReceiver();
  const { mails, url } = await startMailServer();
  const flags = { alertUrl: operator.url, alertMail: "ada@example.com" };
  const { alerts } = readConfig(flags, { DESKBELL_SMTP_URL: url });
  const channels = createAlertChannels(alerts);
  onTestFinished(() => channels.close());
  const alerting = createAlerting(rt, CHECKS, channels);
  return {
    /**
     * Checks the conditions after some time.
     * @returns what the operator received
     */
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
  "each condition that the daemon sees is logged and sent by HTTP and mail, and so is its end",
  { timeout: 60_000 },
  async () => {
    const rt = await createRunningServer();
    const { pass } = await startAlerting(rt);
    for (const code of listConditionCodes().filter((each) => !COMMANDS_ONLY.has(each))) {
      const { severity, isLateness } = conditionKind(code);
      const end = await INJECTIONS[code](rt);
      let sent = await pass(10_000);
      // The injection advances the clock in one step, as if the process had been suspended
      // meanwhile. Some conditions about lateness are therefore reported only after further checks.
      for (let left = isLateness ? 5 : 0; left > 0 && sent.alerts.length === 0; left--)
        sent = await pass(25_000);
      expect(sent.alerts).toContain(`${code} FIRING`);
      expect(sent.mails).toContain(`${code} FIRING`);
      expect(sent.log).toContain(`${code} ${severity === "critical" ? "error" : "warn"}`);

      await end();
      expect(listDaemonConditions(rt, CHECKS), `the end of ${code}`).toEqual([]);
      const ended = await pass(MINUTE_MS);
      expect(ended.log).toContain(`${code} info`);
      expect([...ended.alerts, ...ended.mails]).toEqual([]);
      await prepareForFeatures(rt);
      const resolved = await pass(60 * MINUTE_MS);
      expect(resolved.alerts).toContain(`${code} RESOLVED`);
      expect(resolved.mails).toContain(`${code} RESOLVED`);
    }
  },
);
