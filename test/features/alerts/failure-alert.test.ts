import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { sendFailureAlert } from "../../../src/features/alerts/failure-alert.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createReceiver } from "../../support/receiver.ts";
import { startMailServer } from "./mail-server.ts";

test("a failure of the daemon is alerted with its reason and fix, once an hour for the same reason", async () => {
  const operator = await createReceiver();
  const flags = { dataDir: join(createTempFolder(), "data"), alertUrl: operator.url };
  const config = readConfig({ ...flags, alertFormat: "json" }, {});
  const failure = { message: "the disk is full", fix: "free space" };
  expect(await sendFailureAlert(config, failure)).toEqual([
    { channel: "--alert-url", isSent: true, error: null },
  ]);
  expect(await sendFailureAlert(config, failure)).toEqual([]);
  expect(operator.requests.map(({ body }) => JSON.parse(body.toString()) as object)).toMatchObject([
    { code: "daemon.failed", fix: "free space" },
  ]);
});

test("a failure that only some recipients are told is alerted once an hour, too", async () => {
  const { mails, url } = await startMailServer();
  const flags = {
    dataDir: join(createTempFolder(), "data"),
    alertMail: "ada@example.com,nobody@example.com",
  };
  const config = readConfig(flags, { DESKBELL_SMTP_URL: url });
  const failure = { message: "the disk is full" };
  expect(await sendFailureAlert(config, failure)).toMatchObject([
    { isSent: true, error: expect.stringContaining("nobody@example.com") },
  ]);
  expect(await sendFailureAlert(config, failure)).toEqual([]);
  expect(mails).toHaveLength(1);
});
