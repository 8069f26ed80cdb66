import {
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  type StreamInfo,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { slugOf } from "../../app/businesses.ts";
import { decryptSecrets } from "./secrets.ts";
import type { Runtime } from "../../app/runtime.ts";
import { errorInWords } from "../../domain/errors.ts";
import { businessSubjects, subjectOf } from "./rules.ts";
import { byteSize, safe } from "../../domain/text.ts";
import type { DestinationRow } from "./store.ts";
import { connectToNats, describeError } from "./publishing/nats.ts";

/** The result of a check; `needed` names a required permission. */
export type DestinationCheck = {
  about: string;
  result: "ok" | "warning" | "failed" | "needed";
  details: string;
};

/**
 * JetStream refuses a publish with this code if the publish requires a certain last message and the
 * stream's last message is another.
 */
const WRONG_LAST_MESSAGE = 10070;
/** The shortest duplicate window that covers the retries of a publish without an answer. */
const MIN_WINDOW_MS = 60_000;
/** The share of a stream that should be free. */
const MIN_FREE = 0.1;
/** The number of events whose size is compared with the limits. */
const SAMPLE = 1000;

/** Checks the server and the stream without storing a message. */
export async function testDestination(
  rt: Runtime,
  destination: DestinationRow,
  { allowPlaintext = rt.config.allowPlaintext }: { allowPlaintext?: boolean } = {},
): Promise<DestinationCheck[]> {
  const permissions = listPermissions(destination, slugForTest(rt, destination));
  try {
    const { credentials } = decryptSecrets(rt, destination);
    const connection = await connectToNats({ ...destination, credentials, allowPlaintext });
    try {
      return [...(await testServer(rt, destination, connection)), ...permissions];
    } finally {
      await connection.close();
    }
  } catch (error) {
    const details = safe(errorInWords(error));
    return [{ about: "connection", result: "failed", details }, ...permissions];
  }
}

async function testServer(
  rt: Runtime,
  destination: DestinationRow,
  connection: NatsConnection,
): Promise<DestinationCheck[]> {
  const { info } = connection;
  const maxPayload = info?.max_payload ?? Infinity;
  const connected: DestinationCheck = {
    about: "connection",
    result: "ok",
    details: `NATS ${safe(info?.version ?? "")}, max_payload ${byteSize(maxPayload)}`,
  };
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const stream = await manager.streams.info(destination.stream);
    const slug = slugForTest(rt, destination);
    // The request shows whether the user may read messages. The message itself is not needed.
    await manager.streams.getMessage(destination.stream, {
      last_by_subj: businessSubjects(destination.prefix, slug),
    });
    return [
      connected,
      ...checkStream(rt, destination, stream, maxPayload),
      await testPublish(destination, connection, slug),
    ];
  } catch (error) {
    return [connected, { about: "stream", result: "failed", details: describeError(error) }];
  }
}

/** Checks the configuration of a stream, and how full it is. */
export function checkStream(
  rt: Runtime,
  { prefix, businessId, streamSequence }: DestinationRow,
  { config, state }: Pick<StreamInfo, "config" | "state">,
  maxPayload: number,
): DestinationCheck[] {
  const check = (
    about: string,
    isOk: boolean,
    details: string,
    resultIfNot: "warning" | "failed",
  ) => ({ about, result: isOk ? ("ok" as const) : resultIfNot, details });
  const slug = businessId === null ? "*" : slugOf(rt, businessId);
  // An event type such as `catalog.changed` is two tokens of a subject.
  const wanted = `${prefix}.${slug}.*.*`;
  const subjects = (config.subjects ?? []).map((subject) => safe(subject, 80));
  const nsPerMs = 1e6;
  const windowMs = config.duplicate_window / nsPerMs;
  // A stream without a limit has a `max_msg_size` of -1.
  const maxSize = config.max_msg_size > 0 ? Math.min(config.max_msg_size, maxPayload) : maxPayload;
  const filter = businessId === null ? {} : { businessId };
  const largest = Math.max(0, ...rt.store.events.list(filter, SAMPLE).map(({ bytes }) => bytes));
  return [
    check(
      "subjects",
      subjects.some((subject) => coversSubject(subject, wanted)),
      `${subjects.join(", ") || "none"}; needed: ${wanted}`,
      "failed",
    ),
    check(
      "storage",
      config.storage === "file",
      config.storage === "file" ? "file" : "memory: a restart of the server loses all messages",
      "warning",
    ),
    check(
      "position",
      state.last_seq >= (streamSequence ?? 0),
      streamSequence !== null && state.last_seq < streamSequence
        ? `message ${state.last_seq}, but an event was stored as ${streamSequence}: the stream was deleted and created again, or restored`
        : `message ${state.last_seq}`,
      "warning",
    ),
    check(
      "size of a message",
      largest < maxSize,
      `at most ${byteSize(maxSize)}; the largest of the last ${SAMPLE} events has ${byteSize(largest)}`,
      "warning",
    ),
    check(
      "size of the stream",
      config.discard === "old" ||
        (hasSpace(state.messages, config.max_msgs) && hasSpace(state.bytes, config.max_bytes)),
      describeLimits(config, state),
      "warning",
    ),
    check(
      "duplicate window",
      windowMs >= MIN_WINDOW_MS,
      `${windowMs / 1000} s${windowMs >= MIN_WINDOW_MS ? "" : ": after a lost answer, an event can be stored twice; set at least 60 s"}`,
      "warning",
    ),
  ];
}

/** @param maximum no limit if it is not positive */
const hasSpace = (used: number, maximum: number): boolean =>
  maximum <= 0 || used <= maximum * (1 - MIN_FREE);

function describeLimits(
  { discard, max_msgs, max_bytes, max_age }: StreamInfo["config"],
  { messages, bytes }: StreamInfo["state"],
): string {
  const limits = [
    max_msgs > 0 ? `${max_msgs} messages` : "",
    max_bytes > 0 ? byteSize(max_bytes) : "",
    max_age > 0 ? `${max_age / 1e9} s` : "",
  ].filter(Boolean);
  const has = `${messages} messages, ${byteSize(bytes)}`;
  if (limits.length === 0) return `${has}; without a limit, it grows until the disk is full`;
  const then = discard === "old" ? "then the oldest are deleted" : "then new ones are refused";
  return `${has}; at most ${limits.join(", ")}, ${then}`;
}

/** Returns whether `pattern` matches every subject that `wanted` matches. */
export function coversSubject(pattern: string, wanted: string): boolean {
  const have = pattern.split(".");
  const want = wanted.split(".");
  for (const [i, token] of have.entries()) {
    if (token === ">") return want.length > i;
    if (want[i] === undefined || (token !== "*" && token !== want[i])) return false;
  }
  return have.length === want.length;
}

/**
 * Tests a publish without storing a message: the publish requires a last message that the stream
 * does not have, so the stream refuses it.
 */
async function testPublish(
  { prefix, stream }: DestinationRow,
  connection: NatsConnection,
  slug: string,
): Promise<DestinationCheck> {
  const about = "publish";
  const subject = subjectOf(prefix, slug, "catalog.changed");
  try {
    await jetstream(connection).publish(subject, "", {
      expect: { streamName: stream, lastMsgID: "deskbell-test" },
    });
    return { about, result: "failed", details: "the stream accepted a message it should refuse" };
  } catch (error) {
    return error instanceof JetStreamApiError && error.code === WRONG_LAST_MESSAGE
      ? { about, result: "ok", details: `${subject}: the stream answers` }
      : { about, result: "failed", details: `${subject}: ${describeError(error)}` };
  }
}

const slugForTest = (rt: Runtime, { businessId }: DestinationRow): string =>
  businessId === null ? (rt.store.businesses.listSlugs()[0] ?? "test") : slugOf(rt, businessId);

/** Returns the permissions that the user on the NATS server needs. */
function listPermissions(
  { prefix, stream, businessId }: DestinationRow,
  slug: string,
): DestinationCheck[] {
  const needed = (details: string): DestinationCheck => ({
    about: "permission",
    result: "needed",
    details,
  });
  return [
    needed(`publish ${businessId === null ? `${prefix}.>` : businessSubjects(prefix, slug)}`),
    needed(`publish $JS.API.STREAM.INFO.${stream} (only for this test)`),
    needed(`publish $JS.API.STREAM.MSG.GET.${stream}`),
    needed("subscribe _INBOX.>"),
  ];
}
