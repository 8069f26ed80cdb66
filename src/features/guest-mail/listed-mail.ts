import type { MailRow } from "./store.ts";

/** Returns a mail as commands print it, without guest data. */
export const toListed = ({
  id,
  visitId,
  kind,
  status,
  reason,
  attempts,
  createdAt,
  nextAttemptAt,
  endedAt,
}: MailRow) => ({
  id,
  visitId,
  kind,
  status,
  reason,
  attempts,
  createdAt: isoTime(createdAt),
  nextAttemptAt: isoTime(nextAttemptAt),
  endedAt: isoTime(endedAt),
});

const isoTime = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
