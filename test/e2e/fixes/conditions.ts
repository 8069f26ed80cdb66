import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readStatus } from "../../../src/app/operations/status.ts";
import type { ConditionCode } from "../../../src/domain/conditions/registry.ts";
import { CHECKS } from "../../support/checks.ts";
import { createRunningServer, type Injection, INJECTIONS } from "../../support/conditions.ts";
import { addBusiness, emitEvents } from "../../support/delivery.ts";
import { createTestPartner } from "../../features/partners/partners/support.ts";
import { createServer, type FixCase, setClock } from "../../support/fixes.ts";

// These cases are about health conditions. Each server has two businesses and no other open
// condition.

type More = Pick<FixCase, "adds" | "before" | "fails"> & {
  /** Set if a delivery must have failed before the condition begins. */
  hasFailed?: true;
  /** Distinguishes the cases of one condition. */
  name?: string;
  /** Makes the condition begin, instead of the entry in `INJECTIONS`. */
  begin?: Injection;
};

/**
 * Returns a case whose condition begins as in test/app/operations/conditions.test.ts. The text and
 * command are those of `status`.
 */
function condition(
  code: ConditionCode,
  text: string,
  outcome: FixCase["outcome"],
  { hasFailed, name = code, begin = INJECTIONS[code], ...more }: More = {},
): FixCase {
  let read = (): string => "";
  return {
    text,
    name,
    data: async () => {
      const rt = await createRunningServer();
      const server = await createServer(rt.config.dataDir);
      addBusiness(rt, "cafe-lumen");
      if (hasFailed) {
        emitEvents(rt, rt.business, "service.updated");
        server.edit("UPDATE delivery SET last_error = 'HTTP 500'");
      }
      await begin(rt);
      setClock(rt.now());
      read = () =>
        readStatus(rt, CHECKS)
          .problems.filter((problem) => problem.code === code)
          .map((problem) => `${problem.text}\t${problem.command}`)
          .join("\n");
      return server;
    },
    line: async () => read(),
    ...more,
    outcome,
  };
}

/** Lets a partner make visits at an unusual speed. */
const bookFastAsPartner: Injection = (rt) => {
  const { partner } = createTestPartner(rt, [rt.business], { maxBookingsDay: 20 });
  const access = rt.store.partnerAccess.find(partner.id, rt.business.id);
  const hour = Math.floor(rt.now() / 3_600_000);
  rt.tx(() => {
    for (let n = 0; n < 5; n++) rt.store.keyVisits.increment(access?.id ?? "", hour);
  });
  return () => {};
};

/** Disables the endpoint as if its key had expired, although no key of the endpoint is expired. */
const disableForExtendedKey: Injection = (rt) => {
  rt.tx(() => rt.store.endpoints.updateStatus(rt.endpointId, "DISABLED", "key_expired", rt.now()));
  return () => {};
};

const GONE = "the message is gone";
const yes: More = { adds: "--yes" };
const failed: More = { hasFailed: true };

export const fixes: FixCase[] = [
  condition("delivery.stalled", "deskbell deliveries list --status PENDING", /PENDING/),
  condition("deliveries.stuck", "deskbell deliveries list --status PENDING", /PENDING/),
  condition("delivery.corrupt", "deskbell deliveries cancel {}", GONE, yes),
  condition("signing_secret.wrong", "deskbell webhooks rotate-secret {} --force", GONE),
  condition("database.damaged", "deskbell backup list", /\.db$/m),
  condition("backup.failed", "deskbell backup", GONE),
  condition("backup.overdue", "deskbell backup", GONE),
  condition("backup.drill_failed", "deskbell backup drill", GONE),
  condition("backup.untagged", "deskbell backup", GONE),
  condition("backup.damaged", "deskbell backup, then rm {}", /SHA256SUMS|\.db/),
  condition("events.altered", "deskbell backup list", /\.db$/m),
  condition("key.in_browser", "deskbell keys rotate {} --overlap 0s", GONE, yes),
  condition("key.no_secret", "deskbell keys rotate {}", GONE),
  condition("key.expiring", "deskbell keys update {} --expires 365d", GONE),
  condition(
    "key.booking_fast",
    "deskbell bookings list --business {} --key {} --created-since 2h",
    /./,
  ),
  condition(
    "key.booking_fast",
    "deskbell bookings list --business {} --key {} --created-since 2h",
    /^salon-aurora has no such bookings/,
    { name: "key.booking_fast of a partner", begin: bookFastAsPartner },
  ),
  condition("proxy.one_address", "deskbell guide behind-a-proxy", /--trusted-proxy/),
  condition("metrics.refused", "deskbell metrics token", /^deskbell_mt_/, {
    // The file with the token is created here, as no daemon runs that would do it.
    before: ({ dataDir }) =>
      writeFileSync(join(dataDir, "metrics.token"), "deskbell_mt_1\n", { mode: 0o600 }),
  }),
  condition("booking.undecided", "deskbell {}s approve {} --business {}", GONE),
  condition("network.out", "deskbell deliveries list --failed", /HTTP 500/, failed),
  condition("endpoint.key_ended", "deskbell webhooks disable {}", GONE),
  condition(
    "endpoint.failing",
    "deskbell deliveries list --failed --endpoint {}",
    /HTTP 500/,
    failed,
  ),
  condition(
    "endpoint.disabling",
    "deskbell deliveries list --failed --endpoint {}",
    /HTTP 500/,
    failed,
  ),
  condition("endpoint.unreliable", "deskbell deliveries list --endpoint {} --since 1h", /^dlv_/m),
  condition("endpoint.disabled", "deskbell webhooks show {}", /DISABLED/),
  condition("endpoint.disabled", "deskbell webhooks enable {}", GONE, {
    name: "endpoint.disabled by an expired key that was extended",
    begin: disableForExtendedKey,
  }),
  condition("calendar.full", "deskbell calendars list --business {}", /^cal_/m),
  condition("calendar.former_url", "deskbell calendars create --business {}{}{}", /http/),
  condition(
    "page.share_used",
    "deskbell {} list{} --business {}",
    /^salon-aurora has no such bookings/,
  ),
  condition("destination.late", "deskbell destinations test {}", /refused/, { fails: true }),
  condition("destination.recreated", "deskbell destinations redeliver {} --since {}", GONE, yes),
  condition("destination.skipped", "deskbell destinations show {}", /it is too large/),
];
