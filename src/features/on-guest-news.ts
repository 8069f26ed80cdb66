import type { OnGuestNews } from "../app/feature-hooks.ts";
import { queueMail } from "./guest-mail/queue-mail.ts";

/** What features do when a visit, order or hold changes in a way that its guest wants to know. */
export const ON_GUEST_NEWS: readonly OnGuestNews[] = [queueMail];
