import type { StartWork, ThreadWork } from "../../delivery/scheduler.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createDiscardStore } from "./store.ts";

const startMails: StartWork = (rt) =>
  rt.config.guestMail === null ? discardWaiting(rt) : sendMails(rt);

/**
 * Discards the mails that an earlier daemon has not sent, because mail is off now. The failure of a
 * mail server is forgotten too, so that it is no longer reported.
 */
function discardWaiting(rt: Runtime): ThreadWork {
  const store = rt.openStore(createDiscardStore);
  if (!store.isNeeded()) return {};
  let isDone = false;
  const discard = (): void => {
    if (isDone) return;
    const count = rt.tx(() => store.discard(rt.now()));
    // If the transaction throws, the next second tries it again.
    isDone = true;
    if (count === 0) return;
    rt.log("warn", "Mails to guests were discarded, because serve --guest-mail is off.", { count });
  };
  return { everySecond: [discard] };
}

function sendMails(rt: Runtime): ThreadWork {
  const loaded = import("./sender.ts").then(({ startSender }) => startSender(rt));
  let sender: Awaited<typeof loaded> | undefined;
  let hasReminded = false;
  /**
   * Wakes the sender. The first call also writes the due reminders, and then sets `sender`, so that
   * commits wake the sender from then on.
   */
  const remindOrWake = async (): Promise<void> => {
    if (hasReminded) return sender?.wake();
    const { remind } = await import("./remind.ts");
    remind(rt);
    hasReminded = true;
    sender = await loaded;
    sender.wake();
  };
  return {
    afterCommit: () => sender?.wake(),
    everySecond: [remindOrWake],
    everyMinute: [async () => (await import("./remind.ts")).remind(rt)],
    stop: async (graceMs) => (await loaded).stop(graceMs),
  };
}

export const schedule: readonly StartWork[] = [startMails];
