import type { Runtime } from "../runtime.ts";

/** Returns whether mails to guests are sent, by this process or by the daemon. */
export const mailsGuests = (rt: Runtime): boolean =>
  rt.config.guestMail !== null || rt.store.daemon.find()?.mailsGuests === true;
