import { setTimeout as delay } from "node:timers/promises";
import type { Runtime } from "../../app/runtime.ts";
import { isBusy, LOCK_RETRY_MS } from "../../store/database/write-lock.ts";
import type { AlertChannel } from "./channel-queue.ts";
import type { Alert } from "./rules/alert.ts";

/**
 * How long an alert waits while another process writes to the database. Transactions are short, so
 * the wait is usually shorter.
 */
const MAX_WAIT_MS = 1000;

/**
 * Returns a channel that adds links to alerts about visits which wait for a decision. Each attempt
 * to send an alert creates new links, because only their hashes are stored.
 */
export const withLinks = (rt: Runtime, channel: AlertChannel): AlertChannel => ({
  ...channel,
  send: async (alert) => channel.send({ ...alert, ...(await createLinks(rt, alert)) }),
});

async function createLinks(
  rt: Runtime,
  { code, business, subject, asksForDecision }: Alert,
): Promise<Pick<Alert, "links">> {
  if (!asksForDecision || business === null || subject === null) return {};
  const { createAlertLinks } = await import("../desk/alert-links/alert-links.ts");
  for (let waitedMs = 0; ; waitedMs += LOCK_RETRY_MS)
    try {
      return { links: createAlertLinks(rt, business, subject.id) };
    } catch (error) {
      if (isBusy(error) && waitedMs < MAX_WAIT_MS) {
        await delay(LOCK_RETRY_MS);
        continue;
      }
      // The alert matters more than its links: it is sent even if the disk is full.
      rt.log("warn", "could not store the links of an alert, which is sent without them", {
        code,
        reason: (error as Error).message,
        fix: "deskbell doctor",
      });
      return {};
    }
}
