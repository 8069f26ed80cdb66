import { AppError, type ErrorItem } from "../domain/errors.ts";
import { EVENT_TYPES, type EventType, isEventType } from "../domain/event-types.ts";
import { didYouMean } from "../domain/nearest.ts";
import { safe } from "../domain/safe-text.ts";
import { type Allowances, judgeAddresses, parseTarget, type Refusal } from "../domain/safe-url.ts";
import { drawSecret } from "../domain/signature.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../store/endpoints.ts";
import { type Resolve, resolveName } from "./resolve.ts";

export const MAX_ENDPOINTS = 50;
const MAX_NAME_LENGTH = 100;

export type EndpointRequest = {
  businessId: string;
  /** null: somebody at the terminal. */
  keyId: string | null;
  /** Checked here, so that all mistakes are told at once. */
  name: unknown;
  url: unknown;
  events: unknown;
  /** The operator's word that this one endpoint may be reached over http and on a private address. */
  allowPrivate: boolean;
};

/**
 * Subscribes a URL. The secret is in this answer and in no other.
 * @throws AppError validation_failed, unsafe_url, conflict
 */
export async function createEndpoint(
  rt: Runtime,
  request: EndpointRequest,
  resolve: Resolve = resolveName,
): Promise<{ endpoint: EndpointRow; secret: string }> {
  const { name, url, events } = checkFields(request);
  await checkSafety(url, { ...rt.config.lab, trusted: request.allowPrivate }, resolve);

  const secret = drawSecret(rt.random);
  const now = rt.now();
  const endpoint: EndpointRow = {
    id: rt.newId("whe"),
    businessId: request.businessId,
    keyId: request.keyId,
    name,
    url,
    events,
    allowPrivate: request.allowPrivate,
    status: "ACTIVE",
    disabledReason: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  };
  const secretId = rt.newId("whs");
  rt.tx(() => {
    if (rt.store.endpoints.count(request.businessId) >= MAX_ENDPOINTS)
      throw new AppError("conflict", `This business has ${MAX_ENDPOINTS} webhook endpoints, the most it can have.`, {
        fix: "delete one that is no longer needed",
      });
    rt.store.endpoints.insert(endpoint);
    const sealed = rt.secrets.seal(secret, secretId);
    rt.store.endpoints.insertSecret({ id: secretId, endpointId: endpoint.id, sealed, createdAt: now, expiresAt: null });
  });
  return { endpoint, secret };
}

function checkFields(request: EndpointRequest): { name: string; url: string; events: EventType[] } {
  const items = [...checkName(request.name), ...checkUrl(request.url), ...checkEvents(request.events)];
  const [first, ...others] = items;
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    throw new AppError("validation_failed", `${first.detail}${more}`, { items });
  }
  const { name, url, events } = request as { name: string; url: string; events: EventType[] };
  return { name: name.trim(), url, events: [...new Set(events)] };
}

function checkName(name: unknown): ErrorItem[] {
  const pointer = "#/name";
  if (name === undefined) return [{ pointer, code: "required", detail: "'name' is missing." }];
  if (typeof name !== "string") return [{ pointer, code: "type", detail: "'name' must be a text." }];
  const { length } = name.trim();
  return length >= 1 && length <= MAX_NAME_LENGTH
    ? []
    : [{ pointer, code: "length", detail: `'name' must have 1 to ${MAX_NAME_LENGTH} characters.` }];
}

function checkUrl(url: unknown): ErrorItem[] {
  const pointer = "#/url";
  if (url === undefined) return [{ pointer, code: "required", detail: "'url' is missing." }];
  return typeof url === "string" ? [] : [{ pointer, code: "type", detail: "'url' must be a text." }];
}

function checkEvents(events: unknown): ErrorItem[] {
  const pointer = "#/events";
  if (events === undefined) return [{ pointer, code: "required", detail: "'events' is missing." }];
  if (!Array.isArray(events)) return [{ pointer, code: "type", detail: "'events' must be a list of event names." }];
  if (events.length === 0) return [{ pointer, code: "empty", detail: "'events' must name at least one event." }];
  return events.flatMap((event: unknown, i) => {
    if (typeof event !== "string")
      return [{ pointer: `${pointer}/${i}`, code: "type", detail: "An event name must be a text." }];
    if (isEventType(event)) return [];
    const shown = safe(event, 60);
    const detail = `'${shown}' is not an event name.${didYouMean(shown, EVENT_TYPES)}`;
    return [{ pointer: `${pointer}/${i}`, code: "unknown_event", detail }];
  });
}

async function checkSafety(url: string, allowances: Allowances, resolve: Resolve): Promise<void> {
  const target = parseTarget(url, allowances);
  if ("refused" in target) throw unsafe(target);
  if (target.isLiteral) return;
  const addresses = await resolve(target.hostname, allowances);
  if (addresses.length === 0)
    throw unsafe({ refused: `'${target.hostname}' has no address in DNS.`, fix: "check the spelling of the host" });
  const refusal = judgeAddresses(target.hostname, addresses, allowances);
  if (refusal !== undefined) throw unsafe(refusal);
}

const unsafe = ({ refused, fix }: Refusal): AppError =>
  new AppError("unsafe_url", `deskbell does not send to this URL. ${refused}`, {
    fix,
    items: [{ pointer: "#/url", code: "unsafe_url", detail: refused }],
  });
