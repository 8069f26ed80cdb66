import type { DestinationSecrets } from "../secrets.ts";
import type { DestinationRow } from "../store.ts";

export type BrokerSettings = Pick<DestinationRow, "url" | "stream" | "ca"> &
  Pick<DestinationSecrets, "credentials"> & {
    /** Whether a password or token may be sent without TLS. */
    allowPlaintext: boolean;
  };

export type Message = {
  subject: string;
  id: string;
  headers: Record<string, string>;
  body: Buffer;
};

export type PublishOutcome =
  /**
   * The stream has the message. If `isDuplicate` is set, an earlier publish has stored it, and
   * `streamSequence` is the number that the message got then.
   */
  | { kind: "stored"; streamSequence: number; isDuplicate: boolean }
  /** The message can never be accepted. `reason` names the limit that it exceeds. */
  | { kind: "too_large"; reason: string }
  | {
      kind: "failed";
      reason: string;
      /** Whether the stream may have stored the message nevertheless. */
      isUnclear: boolean;
      /** Whether publishes to other subjects would fail, too. */
      isGeneral: boolean;
    };

/** A connection to the NATS server that has the stream of a destination. */
export type Broker = {
  /**
   * Resolves with the answer of the stream, or with `failed` if there is no answer. Never throws.
   */
  publish: (message: Message) => Promise<PublishOutcome>;
  /**
   * Finds the newest message of these subjects. Returns its ID and the value of one of its headers,
   * or null if there is no message. Throws an Error whose message is the reason.
   */
  readLast: (subjects: string, header: string) => Promise<{ id: string; value: string } | null>;
  isClosed: () => boolean;
  close: () => Promise<void>;
};

/** Connects to the server of a stream. Throws an Error whose message is the reason. */
export type Connect = (settings: BrokerSettings) => Promise<Broker>;
