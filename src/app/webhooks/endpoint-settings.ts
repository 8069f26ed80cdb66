import { AppError, type ValidationIssue } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { validateField } from "../../domain/webhooks/endpoint-fields.ts";
import { safe, unsafeNameError } from "../../domain/text.ts";
import {
  type UrlPolicy,
  normalizeUrl,
  unsafeAddressError,
  parseTarget,
  portError,
  type UnsafeUrl,
  type UrlTarget,
} from "../../domain/webhooks/safe-url.ts";
import type { EndpointSettings } from "../../store/webhooks/endpoints.ts";
import type { Runtime } from "../runtime.ts";
import type { Resolve } from "./host-limits.ts";

/** Settings before validation, which reports all issues together. */
export type RequestedSettings = {
  [Name in Exclude<keyof EndpointSettings, "allowPrivate">]: unknown;
} & {
  allowPrivate: boolean;
  /** The new status; absent if it stays. */
  status?: unknown;
};

/** The fields that the issue of an unknown field may suggest. */
const SUGGESTED_FIELDS = ["name", "url", "events"];

type UrlAllowances = Omit<UrlPolicy, "trusted">;

/** `target` is the host before its name is resolved; null if the URL was not checked. */
export type ValidatedSettings = { settings: EndpointSettings; target: UrlTarget | null };

/**
 * Validates settings.
 * @param allowances null if the URL is unchanged and need not be checked again
 * @param byPartner whether the settings come from a partner, who cannot allow a private URL
 * @param currentName the stored name, which may have characters that a new name must not have
 * @throws AppError validation_failed with all issues, or unsafe_url if that is the only issue
 */
export function parseEndpointSettings(
  requested: RequestedSettings,
  allowances: UrlAllowances | null,
  byPartner: boolean,
  unknownFields: readonly string[] = [],
  currentName?: string,
): ValidatedSettings {
  const { target, unsafe } =
    allowances && typeof requested.url === "string"
      ? parseNewUrl(requested.url, { ...allowances, trusted: requested.allowPrivate })
      : { target: null };
  const issues = [
    ...validateName(requested.name, currentName),
    ...validateField("url", requested.url),
    ...(unsafe ? [unsafeUrlIssue(unsafe)] : []),
    ...validateField("events", requested.events),
    ...validateField("timeoutMs", requested.timeoutMs),
    ...validateField("maxInFlight", requested.maxInFlight),
    ...(requested.status === undefined ? [] : validateField("status", requested.status)),
    ...unknownFields.map(unknownFieldIssue),
  ];
  const [first, ...others] = issues;
  if (first !== undefined) {
    if (unsafe && others.length === 0) throw unsafeUrlError(unsafe, byPartner);
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    throw new AppError("validation_failed", `${first.detail}${more}`, { issues });
  }
  const { status: _, ...requestedSettings } = requested;
  const { name, url, events, ...settings } = requestedSettings as EndpointSettings;
  return {
    settings: {
      ...settings,
      name: name.trim(),
      // A checked URL is stored in its normal spelling; an unchecked one is as it was stored.
      url: target?.url.href ?? url,
      events: [...new Set(events)],
    },
    target,
  };
}

function parseNewUrl(
  url: string,
  policy: UrlPolicy,
): { target: UrlTarget | null; unsafe?: UnsafeUrl | undefined } {
  const parsed = parseTarget(normalizeUrl(url), policy);
  if ("reason" in parsed) return { target: null, unsafe: parsed };
  const unsafe = portError(parsed, policy);
  return { target: unsafe ? null : parsed, unsafe };
}

function unknownFieldIssue(name: string): ValidationIssue {
  const shown = safe(name, 60);
  const detail = `Unknown field '${shown}'.${didYouMean(shown, SUGGESTED_FIELDS)}`;
  return { pointer: toPointer(name), code: "unknown_field", detail };
}

/** Returns a JSON pointer (RFC 6901) as a URI fragment. */
const toPointer = (field: string): string =>
  `#/${encodeURIComponent(field.replaceAll("~", "~0").replaceAll("/", "~1"))}`;

export function validateName(name: unknown, currentName?: string): ValidationIssue[] {
  const issues = validateField("name", name);
  if (issues.length > 0 || typeof name !== "string" || name === currentName) return issues;
  const error = unsafeNameError(name.trim());
  if (error === undefined) return [];
  return [{ pointer: "#/name", code: "characters", detail: `'name' ${error}` }];
}

/**
 * Resolves the URL's host and checks its addresses.
 * @param byPartner whether a partner makes the change: the log then has what DNS returned, and the
 *   error does not reveal it
 * @throws AppError unsafe_url
 */
export async function assertSafeAddresses(
  rt: Pick<Runtime, "config" | "log">,
  { settings, target }: ValidatedSettings,
  resolve: Resolve,
  byPartner: boolean,
): Promise<void> {
  if (target === null || target.isLiteral) return;
  const { hostname } = target;
  const policy = { ...rt.config.urlAllowances, trusted: settings.allowPrivate };
  const addresses = await resolve(hostname, policy);
  const unsafe =
    addresses.length === 0
      ? {
          reason: `'${hostname}' has no address in DNS.`,
          fix: "check the spelling of the host name",
        }
      : unsafeAddressError(hostname, addresses, policy);
  if (unsafe === undefined) return;
  if (!byPartner) throw unsafeUrlError(unsafe, byPartner);
  rt.log("warn", "The URL of a partner's endpoint was refused.", { reason: unsafe.reason });
  throw unsafeUrlError(NOT_PUBLIC, byPartner);
}

/** All refusals after a DNS lookup have one text, so that partners cannot explore internal DNS. */
const NOT_PUBLIC: UnsafeUrl = {
  reason: "The URL's host does not resolve to a public address.",
  fix: "use a host that has only public addresses in DNS",
};

function unsafeUrlError(unsafe: UnsafeUrl, byPartner: boolean): AppError {
  const issue = unsafeUrlIssue(unsafe);
  const { howToAllow } = unsafe;
  const alternative =
    howToAllow && (byPartner ? ", or ask the operator to allow it" : `, or ${howToAllow}`);
  const fix = `${unsafe.fix}${alternative ?? ""}`;
  return new AppError("unsafe_url", issue.detail, { fix, issues: [issue] });
}

const unsafeUrlIssue = ({ reason }: UnsafeUrl): ValidationIssue => ({
  pointer: "#/url",
  code: "unsafe_url",
  detail: `deskbell does not send to this URL. ${reason}`,
});
