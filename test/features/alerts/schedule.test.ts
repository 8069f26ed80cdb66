import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { schedule } from "../../../src/features/alerts/schedule.ts";
import { createAlertStore } from "../../../src/features/alerts/store.ts";
import { CHECKS } from "../../support/checks.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createReceiver } from "../../support/receiver.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("an alert that is being sent when the daemon stops is no failure of its channel", async () => {
  const operator = await createReceiver([{ status: 500 }, { status: 500 }, { hold: true }]);
  const rt = createTestRuntime({ alertUrl: operator.url });
  rt.freeBytes = () => 1000;
  const { everySecond = [], stop } = schedule[0]!(rt, { checks: CHECKS });
  // A third failure in a row would be reported.
  for (let attempt = 1; attempt <= 3; attempt++) {
    await expect
      .poll(async () => {
        rt.advance(10_000);
        for (const work of everySecond) await work();
        return operator.requests.length;
      })
      .toBe(attempt);
  }
  await stop?.(0);
  expect(rt.logged.filter(({ level }) => level === "error")).toEqual([
    expect.objectContaining({ message: expect.stringContaining("free on the disk") }),
  ]);
  const stored = rt.openStore(createAlertStore);
  expect(stored.list("channel")).toEqual([]);
  expect(stored.list("unsent")).toHaveLength(1);
});

/** Starts a mail server that takes a mail, and never says whether it has accepted it. */
async function startSilentMailServer() {
  const mails: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const line = bytes.toString();
      if (line.includes("\r\n.\r\n")) return void mails.push(line);
      socket.write(line.startsWith("DATA") ? "354 go on\r\n" : "250 ok\r\n");
    });
    socket.write("220 mail.example\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { mails, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

// The answer of the mail server would be awaited for a minute, which is longer than the limit here.
test("a mail server that does not answer delays the stop of the alerts only by the grace period", async () => {
  const { mails, url } = await startSilentMailServer();
  const smtpUrlFile = join(createTempFolder(), "smtp-url");
  writeFileSync(smtpUrlFile, url);
  const rt = createTestRuntime({ alertMail: "ada@example.com", smtpUrlFile });
  rt.freeBytes = () => 1000;
  const { everySecond = [], stop } = schedule[0]!(rt, { checks: CHECKS });
  for (const work of everySecond) await work();
  await expect.poll(() => mails).toHaveLength(1);
  await stop?.(200);
  expect(rt.openStore(createAlertStore).list("unsent")).toHaveLength(1);
}, 50_000);

test("a bug in the alerts is thrown in the thread, and so ends the daemon", async () => {
  const rt = createTestRuntime();
  rt.freeBytes = () => 1000;
  const { everySecond = [] } = schedule[0]!(rt, { checks: CHECKS });
  rt.tx = () => {
    throw new TypeError("bug");
  };
  const thrown = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => {});
  onTestFinished(() => thrown.mockRestore());
  for (const work of everySecond) await work();
  await expect.poll(() => thrown.mock.calls).toHaveLength(1);
  expect(() => thrown.mock.calls[0]?.[0]()).toThrow("bug");
});
