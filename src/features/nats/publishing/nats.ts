import { JetStreamApiError, jetstream, jetstreamManager } from "@nats-io/jetstream";
import {
  connect,
  type ConnectionOptions,
  errors,
  headers,
  type NatsConnection,
  nkeyAuthenticator,
} from "@nats-io/transport-node";
import type { Credentials } from "../secrets.ts";
import { errorInWords } from "../../../domain/errors.ts";
import { isLoopbackHost } from "../../../domain/addresses.ts";
import { safe } from "../../../domain/text.ts";
import type { Broker, BrokerSettings, Message, PublishOutcome } from "./broker.ts";

const CONNECT_TIMEOUT_MS = 5000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Error codes of the JetStream API. */
const MESSAGE_TOO_LARGE = 10054;
const WRONG_STREAM = 10060;

/** Connects to a server. Throws an Error whose message is the reason. */
export async function connectToNats(settings: BrokerSettings): Promise<NatsConnection> {
  const { url, ca, credentials } = settings;
  const mustEncrypt = requiresTls(settings);
  try {
    return await connect({
      servers: url,
      name: "deskbell",
      timeout: CONNECT_TIMEOUT_MS,
      // `Publisher` connects again after its own delays.
      reconnect: false,
      ...(URL.parse(url)?.protocol === "tls:" || ca !== null || mustEncrypt
        ? { tls: ca === null ? {} : { ca } }
        : {}),
      ...loginOptions(credentials),
    });
  } catch (error) {
    const reason = describeError(error);
    throw new Error(mustEncrypt && /not support 'tls'/.test(reason) ? NO_TLS : reason, {
      cause: error,
    });
  }
}

const NO_TLS =
  "the server has no TLS, so the password is not sent: configure TLS there, use an NKey, or allow it with serve --allow-plaintext";

/**
 * Returns whether a connection must be encrypted. Encryption is required if a password or token
 * would cross a network, unless `allowPlaintext` is set. An NKey sends no secret.
 */
const requiresTls = ({ url, credentials, allowPlaintext }: BrokerSettings): boolean =>
  !allowPlaintext &&
  (credentials.kind === "user" || credentials.kind === "token") &&
  !isLoopbackHost(URL.parse(url)?.hostname ?? "");

/** Connects to the server of a stream. Throws an Error whose message is the reason. */
export async function connectToStream(settings: BrokerSettings): Promise<Broker> {
  const { stream } = settings;
  const connection = await connectToNats(settings);
  const client = jetstream(connection, { timeout: REQUEST_TIMEOUT_MS });
  const manager = await jetstreamManager(connection, {
    checkAPI: false,
    timeout: REQUEST_TIMEOUT_MS,
  });

  async function publish({ subject, id, headers, body }: Message): Promise<PublishOutcome> {
    try {
      const acknowledged = await client.publish(subject, body, {
        msgID: id,
        headers: toNatsHeaders(headers),
        expect: { streamName: stream },
      });
      const { seq: streamSequence, duplicate: isDuplicate } = acknowledged;
      if (acknowledged.stream === stream) return { kind: "stored", streamSequence, isDuplicate };
      return wrongStream(subject, stream, `'${safe(acknowledged.stream, 80)}'`);
    } catch (error) {
      return classifyError(error, subject, stream);
    }
  }

  return {
    publish,
    async readLast(subjects, header) {
      try {
        const last = await manager.streams.getMessage(stream, { last_by_subj: subjects });
        return (
          last && { id: last.header.get("Nats-Msg-Id") ?? "", value: last.header.get(header) ?? "" }
        );
      } catch (error) {
        throw new Error(describeError(error), { cause: error });
      }
    },
    isClosed: () => connection.isClosed(),
    close: () => connection.close(),
  };
}

function loginOptions(credentials: Credentials): ConnectionOptions {
  switch (credentials.kind) {
    case "none":
      return {};
    case "user":
      return { user: credentials.user, pass: credentials.password };
    case "token":
      return { token: credentials.token };
    case "nkey":
      return { authenticator: nkeyAuthenticator(new TextEncoder().encode(credentials.seed)) };
  }
}

function toNatsHeaders(fields: Record<string, string>) {
  const result = headers();
  for (const [name, value] of Object.entries(fields)) result.set(name, value);
  return result;
}

const failed = (reason: string, isUnclear: boolean, isGeneral: boolean): PublishOutcome => ({
  kind: "failed",
  reason,
  isUnclear,
  isGeneral,
});

const wrongStream = (subject: string, stream: string, other: string): PublishOutcome =>
  failed(`${other} has the subject ${subject}, not the stream ${stream}`, false, true);

function classifyError(error: unknown, subject: string, stream: string): PublishOutcome {
  const reason = describeError(error);
  if (error instanceof JetStreamApiError) {
    if (error.code === MESSAGE_TOO_LARGE)
      return { kind: "too_large", reason: `the max_msg_size of the stream ${stream}` };
    if (error.code === WRONG_STREAM) return wrongStream(subject, stream, "another stream");
    // A refusal that contains "per subject" is about the limit of messages per subject, so it
    // concerns one subject and is not general.
    return failed(`the stream ${stream} refuses: ${reason}`, false, !/per subject/.test(reason));
  }
  if (error instanceof errors.InvalidArgumentError && /max_payload/.test(reason))
    return { kind: "too_large", reason: "the max_payload of the server" };
  if (isNoResponder(error)) return failed(`no stream has the subject ${subject}`, false, true);
  // A message that the server forbids is certainly not stored, and other subjects may be allowed.
  // The failure is therefore neither unclear nor general.
  const isForbidden = findCause(error, errors.PermissionViolationError) !== undefined;
  return failed(reason, !isForbidden, !isForbidden);
}

const isNoResponder = (error: unknown): boolean =>
  findCause(error, errors.NoRespondersError) !== undefined;

/**
 * Returns the first error of the class `kind` among an error and its causes; otherwise undefined.
 */
function findCause<E extends Error>(
  error: unknown,
  kind: abstract new (...args: never[]) => E,
): E | undefined {
  for (let found = error; found instanceof Error; found = found.cause)
    if (found instanceof kind) return found;
  return undefined;
}

/** Returns the reason in words. Texts of the server are escaped, because they come from outside. */
export function describeError(error: unknown): string {
  if (isNoResponder(error)) return "the server has no JetStream, or no such stream";
  if (findCause(error, errors.TimeoutError)) return "the server did not answer in time";
  if (findCause(error, errors.ClosedConnectionError)) return "the connection was closed";
  const violation = findCause(error, errors.PermissionViolationError);
  return safe(errorInWords(violation ?? error), 200);
}
