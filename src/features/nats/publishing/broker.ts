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
  /** `isDuplicate`: the stream had it already, and `streamSequence` is from then. */
  | { kind: "stored"; streamSequence: number; isDuplicate: boolean }
  /** The message will never be accepted. `reason`: the limit that it exceeds. */
  | { kind: "too_large"; reason: string }
  | {
      kind: "failed";
      reason: string;
      /** The stream may have stored it all the same. */
      isUnclear: boolean;
      /** Whether other subjects would be refused too. */
      isGeneral: boolean;
    };

/** A connection to a server that has a stream. */
export type Broker = {
  /** Resolves when the stream has answered. Never throws. */
  publish: (message: Message) => Promise<PublishOutcome>;
  /**
   * Returns the ID of the newest message of these subjects, and its value of a header; null if
   * there is none. Throws an Error whose message is the reason.
   */
  readLast: (subjects: string, header: string) => Promise<{ id: string; value: string } | null>;
  isClosed: () => boolean;
  close: () => Promise<void>;
};

/** Throws an Error whose message is the reason. */
export type Connect = (settings: BrokerSettings) => Promise<Broker>;
