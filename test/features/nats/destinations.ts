import { onTestFinished } from "vitest";
import { createDestination } from "../../../src/features/nats/destinations.ts";
import type { RequestedDestination } from "../../../src/features/nats/settings.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import type {
  Broker,
  Message,
  PublishOutcome,
} from "../../../src/features/nats/publishing/broker.ts";
import { createPublishers } from "../../../src/features/nats/publishing/publishers.ts";
import { EVENT_TYPES } from "../../../src/domain/events/event-types.ts";

/** Creates a destination; without options, for all events of all businesses. */
export const addDestination = (
  rt: Runtime,
  settings: Partial<RequestedDestination> = {},
  businessId: string | null = null,
) =>
  createDestination(
    rt,
    {
      name: "bus",
      url: "nats://127.0.0.1:4222",
      stream: "DESKBELL",
      prefix: "deskbell",
      events: EVENT_TYPES,
      ca: null,
      credentials: { kind: "none" },
      ...settings,
    },
    businessId,
  );

/** Creates a stream in memory that never drops duplicates. */
export function createFakeStream() {
  const messages: Message[] = [];
  const answers: (PublishOutcome | undefined)[] = [];
  const stream = {
    messages,
    ids: () => messages.map(({ id }) => id),
    sequences: () => messages.map(({ headers }) => Number(headers["X-Service-Sequence"])),
    connections: 0,
    /** The number of connections that the publisher has closed. */
    closed: 0,
    /** The number of publishes that have begun. */
    publishes: 0,
    /** Why connections fail; undefined if they succeed. */
    refusal: undefined as string | undefined,
    inFlight: 0,
    maxInFlight: 0,
    /** Returns the answer to a publish; undefined to store the message. */
    answer: undefined as ((message: Message) => PublishOutcome | undefined) | undefined,
    /**
     * The answers to the next publishes, which are used up before `answer`. A message whose answer
     * is unclear is stored.
     */
    answers,
    isClosed: false,
  };
  /** The number of messages that the stream has had since it was created. */
  let lastSequence = 0;
  const store = (message: Message): void => {
    messages.push(message);
    lastSequence += 1;
  };
  const broker: Broker = {
    async publish(message) {
      stream.publishes += 1;
      stream.inFlight += 1;
      stream.maxInFlight = Math.max(stream.maxInFlight, stream.inFlight);
      await new Promise(setImmediate);
      stream.inFlight -= 1;
      const outcome = answers.length > 0 ? answers.shift() : stream.answer?.(message);
      if (outcome === undefined || (outcome.kind === "failed" && outcome.isUnclear)) store(message);
      return outcome ?? { kind: "stored", streamSequence: lastSequence, isDuplicate: false };
    },
    async readLast(subjects, header) {
      const prefix = subjects.slice(0, -1);
      const last = messages.findLast(({ subject }) => subject.startsWith(prefix));
      return last === undefined ? null : { id: last.id, value: last.headers[header] ?? "" };
    },
    isClosed: () => stream.isClosed,
    close: async () => void (stream.closed += 1),
  };
  return Object.assign(stream, {
    recreate(): void {
      messages.length = 0;
      lastSequence = 0;
    },
    activity: () => stream.connections + stream.publishes + messages.length,
    connect: async (): Promise<Broker> => {
      stream.connections += 1;
      if (stream.refusal !== undefined) throw new Error(stream.refusal);
      stream.isClosed = false;
      return broker;
    },
  });
}

type FakeStream = ReturnType<typeof createFakeStream>;

/** Creates the publishers without a scheduler: the test calls `wake` and `tick`. */
export function createTestPublishers(rt: Runtime, stream: FakeStream) {
  const publishers = createPublishers(rt, stream.connect);
  onTestFinished(() => publishers.stop(0));
  /** Waits for every publish that does not wait for the clock. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet++) {
      const before = stream.activity();
      await new Promise(setImmediate);
      if (stream.activity() !== before) quiet = 0;
    }
  }
  return Object.assign(publishers, {
    settle,
    wakeAndSettle: () => (publishers.wake(), settle()),
    tickAndSettle: () => (publishers.tick(), settle()),
  });
}
