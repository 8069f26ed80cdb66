import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { sendFailureAlert } from "../../../src/features/alerts/failure-alert.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createReceiver } from "../../support/receiver.ts";

test("a failure of the daemon is alerted with its reason and fix, once an hour for the same reason", async () => {
  const operator = await createReceiver();
  const flags = { dataDir: join(createTempFolder(), "data"), alertUrl: operator.url };
  const config = readConfig({ ...flags, alertFormat: "json" }, {});
  const failure = { message: "the disk is full", fix: "free space" };
  expect(await sendFailureAlert(config, failure)).toEqual([
    { channel: "--alert-url", error: null },
  ]);
  expect(await sendFailureAlert(config, failure)).toEqual([]);
  expect(operator.requests.map(({ body }) => JSON.parse(body.toString()) as object)).toMatchObject([
    { code: "daemon.failed", fix: "free space" },
  ]);
});
