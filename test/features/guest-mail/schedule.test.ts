import { expect, test } from "vitest";
import { schedule } from "../../../src/features/guest-mail/schedule.ts";
import { openMails } from "./open-mails.ts";

test("the delivery thread sends a waiting mail within a second, and finishes it before it stops", async () => {
  const { api, server, book, list } = await openMails("CONFIRM");
  await book();
  const [work] = schedule.map((start) => start(api, { checks: [] }));
  for (const task of work?.everySecond ?? []) await task();
  await work?.stop?.(10_000);
  expect(server.mails.map(({ to }) => to)).toEqual([["ana@example.com"]]);
  expect(list()).toMatchObject([{ status: "SENT" }]);
});
