import { AppError, type ValidationIssue } from "../../domain/errors.ts";
import { EVENT_TYPES, isEventType } from "../../domain/event-types.ts";
import { MAX_CONCURRENCY } from "../../domain/webhooks/endpoint-health.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { safe } from "../../domain/safe-text.ts";
import {
  type UrlPolicy,
  normalizeUrl,
  unsafeAddressError,
  parseTarget,
  type UnsafeUrl,
  type UrlTarget,
} from "../../domain/webhooks/safe-url.ts";
import type { EndpointSettings } from "../../store/endpoints.ts";
import type { Resolve } from "./resolver.ts";

const MAX_NAME_LENGTH = 100;
const TIMEOUT_MS = { minimum: 1000, maximum: 30_000 };

/** What somebody wants an endpoint to be; unchecked, so that all mistakes are told at once. */
export type RequestedSettings = {
  [Name in Exclude<keyof EndpointSettings, "allowPrivate">]: unknown;
} & {
  allowPrivate: boolean;
};

/** The fields that whoever subscribes over HTTP may send. */
const ENDPOINT_FIELDS = ["name", "url", "events"];

/** What the operator allows for all endpoints. */
type Lab = Omit<UrlPolicy, "trusted">;

/** target: where it goes, which is still to be looked up; null where that was not judged. */
export type ValidatedSettings = { settings: EndpointSettings; target: UrlTarget | null };

/**
 * @param lab null for a URL that stays as it is: what has become of it is told by its deliveries
 * @throws AppError validation_failed with every mistake, unsafe_url where the URL is the only one
 */
export function parseEndpointSettings(
  asked: RequestedSettings,
  lab: Lab | null,
  unknownFields: readonly string[] = [],
): ValidatedSettings {
  const judged =
    lab && typeof asked.url === "string"
      ? parseTarget(normalizeUrl(asked.url), { ...lab, trusted: asked.allowPrivate })
      : null;
  const [target, refusal] = judged && "reason" in judged ? [null, judged] : [judged, undefined];
  const items = [
    ...checkName(asked.name),
    ...checkUrl(asked.url),
    ...(refusal ? [tellUnsafe(refusal)] : []),
    ...checkEvents(asked.events),
    ...checkWhole("timeoutMs", asked.timeoutMs, TIMEOUT_MS),
    ...checkWhole("maxInFlight", asked.maxInFlight, { minimum: 1, maximum: MAX_CONCURRENCY }),
    ...unknownFields.map(tellUnknown),
  ];
  const [first, ...others] = items;
  if (first !== undefined) {
    if (refusal && others.length === 0) throw unsafe(refusal);
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    throw new AppError("validation_failed", `${first.detail}${more}`, { issues: items });
  }
  const { name, url, events, ...settings } = asked as EndpointSettings;
  return {
    settings: {
      ...settings,
      name: name.trim(),
      url: target?.url.href ?? url,
      events: [...new Set(events)],
    },
    target,
  };
}

function tellUnknown(name: string): ValidationIssue {
  const shown = safe(name, 60);
  const detail = `There is no field '${shown}'.${didYouMean(shown, ENDPOINT_FIELDS)}`;
  return { pointer: toPointer(name), code: "unknown_field", detail };
}

/** RFC 6901, as a URI fragment. */
const toPointer = (field: string): string =>
  `#/${encodeURIComponent(field.replaceAll("~", "~0").replaceAll("/", "~1"))}`;

function checkName(name: unknown): ValidationIssue[] {
  const pointer = "#/name";
  if (name === undefined) return [{ pointer, code: "required", detail: "'name' is missing." }];
  if (typeof name !== "string")
    return [{ pointer, code: "type", detail: "'name' must be a text." }];
  const { length } = name.trim();
  return length >= 1 && length <= MAX_NAME_LENGTH
    ? []
    : [{ pointer, code: "length", detail: `'name' must have 1 to ${MAX_NAME_LENGTH} characters.` }];
}

function checkUrl(url: unknown): ValidationIssue[] {
  const pointer = "#/url";
  if (url === undefined) return [{ pointer, code: "required", detail: "'url' is missing." }];
  return typeof url === "string"
    ? []
    : [{ pointer, code: "type", detail: "'url' must be a text." }];
}

function checkEvents(events: unknown): ValidationIssue[] {
  const pointer = "#/events";
  if (events === undefined) return [{ pointer, code: "required", detail: "'events' is missing." }];
  if (!Array.isArray(events))
    return [{ pointer, code: "type", detail: "'events' must be a list of event names." }];
  if (events.length === 0)
    return [{ pointer, code: "empty", detail: "'events' must name at least one event." }];
  return events.flatMap((event: unknown, i) => {
    if (typeof event !== "string")
      return [
        { pointer: `${pointer}/${i}`, code: "type", detail: "An event name must be a text." },
      ];
    if (isEventType(event)) return [];
    const shown = safe(event, 60);
    const detail = `'${shown}' is not an event name.${didYouMean(shown, EVENT_TYPES)}`;
    return [{ pointer: `${pointer}/${i}`, code: "unknown_event", detail }];
  });
}

function checkWhole(
  name: string,
  value: unknown,
  { minimum, maximum }: { minimum: number; maximum: number },
): ValidationIssue[] {
  if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum)
    return [];
  const detail = `'${name}' must be a whole number from ${minimum} to ${maximum}.`;
  return [{ pointer: `#/${name}`, code: "range", detail }];
}

/** Looks up where it would go. @throws AppError unsafe_url */
export async function assertSafeAddresses(
  { settings, target }: ValidatedSettings,
  lab: Lab,
  resolve: Resolve,
): Promise<void> {
  if (target === null || target.isLiteral) return;
  const { hostname } = target;
  const allowances = { ...lab, trusted: settings.allowPrivate };
  const addresses = await resolve(hostname, allowances);
  if (addresses.length === 0)
    throw unsafe({
      reason: `'${hostname}' has no address in DNS.`,
      fix: "check the spelling of the host",
    });
  const refusal = unsafeAddressError(hostname, addresses, allowances);
  if (refusal !== undefined) throw unsafe(refusal);
}

function unsafe(refusal: UnsafeUrl): AppError {
  const item = tellUnsafe(refusal);
  return new AppError("unsafe_url", item.detail, { fix: refusal.fix, issues: [item] });
}

const tellUnsafe = ({ reason: refused }: UnsafeUrl): ValidationIssue => ({
  pointer: "#/url",
  code: "unsafe_url",
  detail: `deskbell does not send to this URL. ${refused}`,
});
