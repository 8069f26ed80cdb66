import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createClient, type DeskbellClient } from "../../../client/index.ts";
import type { Key, PageProps } from "./types.ts";

/** A request as it was sent to the receiver of an endpoint. */
export type SignedRequest = { endpointId: string; headers: string; body: string };

/** A key in use. It exists in the memory of this page only. */
export type Session = {
  props: PageProps;
  client: DeskbellClient;
  key: Key;
  /** Signing secrets that the page has created or the reader has pasted, by the endpoint's ID. */
  secrets: Map<string, string>;
  /**
   * Secrets that the page has created and shows until it is left, by the ID of the key or endpoint.
   */
  shownSecrets: Map<string, string>;
  /**
   * The idempotency keys of requests for a new secret that got no response yet. The key of the map
   * is the request as JSON.
   */
  unanswered: Map<string, string>;
  /** The refused test event that the reader wants to check; null if there is none. */
  refused: { current: SignedRequest | null };
  /** Reads the key again, after something has changed its limits. */
  reload: () => Promise<void>;
  /** Continues with the key's new secret. */
  continueWith: (secret: string) => Promise<void>;
};

/**
 * The retries of a request: one, because the reader waits for each, and each counts against the
 * limits of the key.
 */
const RETRIES = 1;
/** The longest wait before the retry. */
const MAX_WAIT_SECONDS = 3;

export const openClient = ({ base, slug }: PageProps, key: string): DeskbellClient =>
  createClient({
    baseUrl: location.origin + base,
    business: slug,
    key,
    retries: RETRIES,
    maxWaitSeconds: MAX_WAIT_SECONDS,
    // The ETag of an endpoint does not change with its state, so a cache would keep an old state.
    fetch: (url, options) => fetch(url, { ...options, cache: "no-store" }),
  });

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("There is no session.");
  return session;
}

/**
 * Sends a request whose response has a new secret. Until a response arrives, a repeated request has
 * the same idempotency key. The server then sends the lost response again, because no other request
 * returns the secret.
 */
export async function requestSecret<Request extends object, Response>(
  { unanswered }: Session,
  send: (request: Request & { idempotencyKey: string }) => Promise<Response>,
  request: Request,
): Promise<Response> {
  const content = JSON.stringify(request);
  const idempotencyKey = unanswered.get(content) ?? crypto.randomUUID();
  unanswered.set(content, idempotencyKey);
  const response = await send({ ...request, idempotencyKey });
  // After any response, a request with the same content is a new one, with an idempotency key of
  // its own.
  unanswered.clear();
  return response;
}

/** Whether the key has a scope, or has another scope that includes it. */
export const hasScope = ({ scopes }: Key, scope: string): boolean =>
  scopes.some((each) => each === scope || GRANTED_BY[scope]?.includes(each));

/** Whether the key may create and change endpoints, and send deliveries again. */
export const canWrite = (key: Key): boolean => hasScope(key, "webhooks.write");

const GRANTED_BY: Readonly<Record<string, readonly string[]>> = {
  "webhooks.read": ["webhooks.write"],
  "bookings.write": ["bookings.manage"],
  "bookings.read": ["bookings.manage"],
  "tickets.write": ["bookings.manage"],
};

/** The event types that a key may receive. */
export const eventTypesOf = ({ props, key }: Session): string[] =>
  key.eventGroups.flatMap((group) => props.eventTypes[group] ?? []);
