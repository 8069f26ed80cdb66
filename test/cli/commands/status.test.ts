import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import type { VisitStatus } from "../../../src/domain/bookings/visit.ts";
import { NO_STREAK } from "../../../src/domain/webhooks/failing-endpoint.ts";
import { createTerminal } from "../../support/cli.ts";
import { addBusiness, emitEvents } from "../../support/delivery.ts";
import { createRunningShop } from "../../support/running-shop.ts";
import { confirmedVisit } from "../../support/visit-rows.ts";

test("status exits with 0 if there is no problem", async () => {
  const { deskbell, rt, business, lock } = await createRunningShop();
  const quiet = await deskbell("status");
  expect(quiet).toMatchObject({ code: 0, stderr: "" });
  expect(quiet.stdout).toMatch(
    /^daemon\trunning at http:\/\/127\.0\.0\.1:4100\t\ndeliveries\tnone\t\nendpoints\t1 active\t\nnext attempt\tnone\t\nhistory\t[\d.]+ .B of 10\.0 GB, kept 30 days, since [\dTZ:-]+\t\n/,
  );
  expect(quiet.stdout).toMatch(/\nfree disk\t[\d.]+ .B\t\n$/);
  emitEvents(rt, business, "service.updated");
  const { stdout, code } = await deskbell("status --json");
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    data: {
      daemon: { isRunning: true, url: "http://127.0.0.1:4100" },
      queue: { PENDING: 1 },
      nextAttemptAt: "2026-11-20T12:00:00.000Z",
      problems: [],
    },
  });
  lock.release();
});

test("status counts the bookings to approve or decline, and names the command that lists them", async () => {
  const { deskbell, rt, business, lock } = await createRunningShop();
  expect((await deskbell("status")).stdout).not.toContain("approve");
  const startsAt = rt.now() + 86_400_000;
  const insert = (id: string, status: VisitStatus) =>
    rt.tx(() =>
      rt.store.bookings.insert(business.id, {
        ...confirmedVisit(startsAt),
        id,
        status,
        endsAt: startsAt + 60_000,
        segments: [],
        guests: 1,
        totalCents: 0,
        currency: "CHF",
        currencyDigits: 2,
        decideBy: status === "PENDING" ? startsAt : null,
      }),
    );
  insert("bkg_1", "PENDING");
  insert("bkg_2", "CONFIRMED");
  insert("bkg_3", "PENDING");
  expect((await deskbell("status")).stdout).toContain(
    "\nbookings\t2 to approve or decline: deskbell bookings list --status PENDING\t\n",
  );
  const { data } = JSON.parse((await deskbell("status --json")).stdout);
  expect(data.pending).toEqual({ bookings: 2, reservations: 0 });
  addBusiness(rt, "salon");
  expect((await deskbell("status")).stdout).toContain("list --status PENDING --business SLUG\t\n");
  lock.release();
});

test("status prints each problem with a command, and exits with 6", async () => {
  const { deskbell, dataDir, rt, endpoint, lock } = await createRunningShop();
  lock.release();
  rt.tx(() =>
    rt.store.endpoints.updateStreak(endpoint.id, {
      failingSince: rt.now(),
      failureCount: 3,
      failedEventId: "evt_1",
      failedEvents: 1,
      lastError: null,
      warnedAt: null,
      disableAt: rt.now() + 60_000,
    }),
  );
  const problems = (stdout: string) =>
    stdout.split("\n").filter((line) => line.startsWith("problem"));
  const failing = await deskbell("status");
  expect({ ...failing, stdout: problems(failing.stdout) }).toMatchObject({
    code: 6,
    stdout: [
      "problem\tthe daemon is not running\tdeskbell serve",
      `problem\tthe endpoint 'till' of shop has failed 3 times since 2026-11-20T12:00:00Z, and will be disabled by the first failure after 2026-11-20T12:01:00Z\tdeskbell deliveries list --failed --endpoint ${endpoint.id}`,
    ],
  });
  expect(problems((await deskbell("status --severity critical")).stdout)).toHaveLength(1);
  const { data } = JSON.parse((await deskbell("status --json")).stdout);
  expect(data.problems).toMatchObject([
    { code: "daemon.stopped", severity: "critical", about: "daemon", subject: null, since: null },
    {
      code: "endpoint.disabling",
      severity: "info",
      about: "endpoint",
      business: "shop",
      subject: { id: endpoint.id, name: "till" },
      since: "2026-11-20T12:00:00.000Z",
    },
  ]);
  const shown = await createTerminal({ isTTY: true, dataDir, program: "npx deskbell" }).deskbell(
    "status --no-color",
  );
  expect(shown.stdout).toMatch(/^daemon {8}not running\n/);
  expect(shown.stdout).toContain("✗ critical: the daemon is not running\n  npx deskbell serve\n");

  disableEndpoint(rt, endpoint.id, "gone");
  expect(problems((await deskbell("status")).stdout)).toEqual([
    "problem\tthe daemon is not running\tdeskbell serve",
    `problem\tthe endpoint 'till' of shop receives no webhooks: deskbell has disabled it, because its receiver answered with 410 Gone (failing since 2026-11-20T12:00:00Z). Its deliveries are kept until it is enabled with webhooks enable ${endpoint.id}\tdeskbell webhooks show ${endpoint.id}`,
  ]);
  rt.tx(() => rt.store.endpoints.updateStatus(endpoint.id, "DISABLED", "manual", rt.now()));
  expect(problems((await deskbell("status")).stdout)).toHaveLength(1);
});

test("status reports an endpoint after five failures over ten minutes, or after a day of failures", async () => {
  const { deskbell, rt, endpoint, lock } = await createRunningShop();
  const failSince = (ms: number, failureCount = 1) =>
    rt.tx(() =>
      rt.store.endpoints.updateStreak(endpoint.id, {
        ...NO_STREAK,
        failingSince: ms,
        failureCount,
      }),
    );
  failSince(Date.now() - 86_000_000);
  expect(await deskbell("status")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("endpoints\t1 active, 1 failing\t\n"),
  });
  failSince(Date.now() - 86_400_000);
  expect(await deskbell("status")).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(
      /^problem\tthe endpoint 'till' of shop has failed once since \S+\tdeskbell deliveries list --failed/m,
    ),
  });
  failSince(Date.now() - 540_000, 5);
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  failSince(Date.now() - 600_000, 5);
  expect(await deskbell("status")).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(
      /^problem\tthe endpoint 'till' of shop has failed 5 times since /m,
    ),
  });
  lock.release();
});

test.each([
  [
    "that is missing",
    /^problem\t\S+master\.key is missing: no webhook can be signed\..*\tinstall -m 600 FILE \S+$/m,
  ],
  [
    "of another server",
    /^problem\t\S+master\.key decrypts no signing secret: .*\tinstall -m 600 FILE \S+$/m,
  ],
])("status reports a master key %s until the right key is back", async (change, expected) => {
  const { deskbell, rt, lock } = await createRunningShop();
  const { masterKeyPath } = rt.config;
  const key = readFileSync(masterKeyPath);
  if (change === "that is missing") rmSync(masterKeyPath);
  else writeFileSync(masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
  expect(await deskbell("status")).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(expected),
  });
  writeFileSync(masterKeyPath, key);
  expect(await deskbell("status")).toMatchObject({ code: 0 });
  lock.release();
});
