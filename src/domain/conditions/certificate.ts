import { isoSeconds } from "../text.ts";
import { type HealthCondition, openCondition } from "./registry.ts";

/**
 * ACME clients renew a certificate 30 days before it expires, so 14 days left mean that they
 * failed.
 */
export const CERTIFICATE_WARN_DAYS = 14;

/**
 * Returns a condition if the certificate has expired or expires soon.
 * @param expiresAt when the certificate that the daemon uses expires; null without HTTPS
 */
export function checkCertificate(expiresAt: number | null, now: number): HealthCondition[] {
  if (expiresAt === null || expiresAt >= now + CERTIFICATE_WARN_DAYS * 86_400_000) return [];
  const [code, state] =
    expiresAt <= now
      ? (["tls.expired", "has expired, and clients reject it"] as const)
      : (["tls.expiring", "expires soon"] as const);
  return [
    openCondition(
      code,
      `the certificate of the API ${state} (${isoSeconds(expiresAt)}): renew it, then reload it`,
      "systemctl reload deskbell, or send SIGHUP to the daemon",
      { since: expiresAt <= now ? expiresAt : null },
    ),
  ];
}
