import { expect, test } from "vitest";
import { createChannelQueue } from "../../../src/features/alerts/channel-queue.ts";
import { toAlert } from "../../../src/features/alerts/rules/alert.ts";
import { type AlertCode, openCondition } from "../../../src/domain/conditions/registry.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;

function createAlert(code: AlertCode, fingerprint: string, at: number) {
  const condition = openCondition(code, "something is wrong", "deskbell status");
  const member = { fingerprint, condition, isOpen: true, since: at, isNew: true };
  const cause = {
    since: at,
    clearSince: null,
    count: 1,
    status: "FIRING",
    alertedAt: null,
  } as const;
  return toAlert({ ...cause, fingerprint, isGroup: false, members: [member] }, "FIRING", at);
}

const refuse = () => Promise.reject(new Error("HTTP 500"));

test("a notice that the channel refuses for a day is dropped and logged", async () => {
  const rt = createTestRuntime();
  const queue = createChannelQueue(rt, { name: "--alert-url", resends: false, send: refuse });
  queue.add(createAlert("delivery.exhausted", "a", rt.now()));
  await queue.sendDue();
  expect(queue.list()).toHaveLength(1);
  rt.advance(24 * HOUR_MS);
  await queue.sendDue();
  expect(queue.list()).toEqual([]);
  expect(rt.logged).toEqual([
    {
      level: "error",
      message: "An alert was dropped: the channel has not accepted it for a day.",
      fields: { channel: "--alert-url", code: "delivery.exhausted", reason: "HTTP 500" },
    },
  ]);
});

test("an alert that replaces an alert whose sending fails is kept, and other alerts keep their order", async () => {
  const rt = createTestRuntime();
  const [first, newer, second] = ["a", "a", "b"].map((fingerprint, i) =>
    createAlert(i === 2 ? "storage.full" : "storage.low", fingerprint, rt.now() + i),
  ) as [
    ReturnType<typeof createAlert>,
    ReturnType<typeof createAlert>,
    ReturnType<typeof createAlert>,
  ];
  const send = () => {
    queue.add(newer);
    return refuse();
  };
  const queue = createChannelQueue(rt, { name: "--alert-url", resends: false, send });
  queue.add(first);
  queue.add(second);
  await queue.sendDue();
  expect(queue.list()).toEqual([newer, second]);
});

test("a channel that fails again after a success counts as failing since the first new failure", async () => {
  const rt = createTestRuntime();
  let send = refuse;
  const queue = createChannelQueue(rt, {
    name: "--alert-url",
    resends: false,
    send: () => send(),
  });
  const tryToSend = async (times: number) => {
    for (let i = 0; i < times; i++) {
      rt.advance(HOUR_MS);
      await queue.sendDue();
    }
  };
  queue.add(createAlert("storage.low", "a", rt.now()));
  await tryToSend(3);
  expect(queue.failure()).toEqual({ since: rt.now() - 2 * HOUR_MS, error: "HTTP 500" });
  send = () => Promise.resolve() as Promise<never>;
  await tryToSend(1);
  expect(queue.failure()).toBeUndefined();
  send = refuse;
  queue.add(createAlert("storage.low", "a", rt.now()));
  await tryToSend(3);
  expect(queue.failure()).toEqual({ since: rt.now() - 2 * HOUR_MS, error: "HTTP 500" });
});

test("an alert that some recipients do not get is not sent again, and the channel counts as failing", async () => {
  const rt = createTestRuntime();
  let refusal: string | undefined = "the mail server refuses bob@example.com";
  const sent: string[] = [];
  const queue = createChannelQueue(rt, {
    name: "--alert-mail",
    resends: false,
    send: async ({ fingerprint }) => {
      sent.push(fingerprint);
      return refusal;
    },
  });
  const send = async (...fingerprints: string[]) => {
    for (const fingerprint of fingerprints)
      queue.add(createAlert("storage.low", fingerprint, rt.now()));
    await queue.sendDue();
  };
  const failure = { since: rt.now(), error: refusal };
  await send("a", "b");
  rt.advance(HOUR_MS);
  await send();
  expect([sent, queue.list(), queue.failure()]).toEqual([["a", "b"], [], failure]);
  refusal = undefined;
  await send("c");
  expect(queue.failure()).toBeUndefined();
  expect(rt.logged.map(({ message }) => message)).toEqual([
    "Some recipients do not get alerts.",
    "Alerts are sent again.",
  ]);
});
