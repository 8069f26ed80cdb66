import type { Check } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { countOf, isoSeconds } from "../../domain/text.ts";
import { REPORTED_FAILURES } from "./rules.ts";
import { createReportStore, type UnsentMails } from "./store.ts";

const DAY_MS = 86_400_000;

/** Reports a mail server that has failed several times in a row. */
function checkServer(rt: Runtime): HealthCondition[] {
  const store = rt.openStore(createReportStore);
  const state = store.findState();
  if (state === undefined || state.failures < REPORTED_FAILURES) return [];
  const waiting = countOf(store.countWaiting(), "mail");
  const since = state.failingSince ?? rt.now();
  return [
    openCondition(
      "guest_mail.failing",
      `mail to guests has failed since ${isoSeconds(since)}: ${state.error ?? ""}; ${waiting} wait`,
      "deskbell alerts test --alert-mail YOU@example.com --smtp-url-file FILE",
      { since },
    ),
  ];
}

/** Reports the mails of the last day that were refused or discarded. */
const checkUnsent = (rt: Runtime): HealthCondition[] =>
  [
    ...Map.groupBy(
      rt.openStore(createReportStore).listUnsent(rt.now() - DAY_MS),
      ({ businessId }) => businessId,
    ),
  ].map(([businessId, unsent]) => {
    const slug = rt.store.businesses.findById(businessId)?.slug ?? businessId;
    const total = unsent.reduce((sum, { count }) => sum + count, 0);
    return openCondition(
      "guest_mail.unsent",
      `${countOf(total, "mail")} to guests of ${slug} ${total === 1 ? "was" : "were"} not sent in the last day: ${reasonsOf(unsent)}`,
      `deskbell guest-mail list --unsent --business ${slug}`,
      { business: slug },
    );
  });

const reasonsOf = (unsent: readonly UnsentMails[]): string =>
  unsent.map(({ reason, count }) => `${count} × ${reason ?? "unknown"}`).join(", ");

export const checks: readonly Check[] = [checkServer, checkUnsent];
