import { decryptSecrets } from "../secrets.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { errorInWords } from "../../../domain/errors.ts";
import { type SigningKey, signingKey } from "../../../domain/webhooks/webhook-post.ts";
import type { DestinationRow } from "../store.ts";
import type { Broker, Connect } from "./broker.ts";
import type { DestinationHealth } from "./destination-health.ts";

/** The connection to the server of a destination, shared by all its businesses. */
export class BrokerConnection {
  readonly #rt: Runtime;
  readonly #destination: DestinationRow;
  readonly #connect: Connect;
  readonly #health: DestinationHealth;
  #broker: Promise<Broker> | undefined;
  /** The keys that sign messages, read when the connection is opened. */
  keys: readonly SigningKey[] = [];

  constructor(
    rt: Runtime,
    destination: DestinationRow,
    connect: Connect,
    health: DestinationHealth,
  ) {
    this.#rt = rt;
    this.#destination = destination;
    this.#connect = connect;
    this.#health = health;
  }

  /** Returns the open connection; undefined if connecting failed. The next call tries again. */
  async open(): Promise<Broker | undefined> {
    const isNew = this.#broker === undefined;
    const opening = (this.#broker ??= this.#openNew());
    try {
      const opened = await opening;
      if (!opened.isClosed()) return opened;
      // An older connection that was closed is no failure: the next call opens a new one.
      if (isNew) this.#health.fail("the server closed the connection");
    } catch (error) {
      this.#health.fail(errorInWords(error));
    }
    // Another business may have started a new connection meanwhile.
    if (this.#broker === opening) this.#broker = undefined;
    return undefined;
  }

  async #openNew(): Promise<Broker> {
    const { signingSecret, credentials } = decryptSecrets(this.#rt, this.#destination);
    this.keys = [signingKey(signingSecret)];
    const { allowPlaintext } = this.#rt.config;
    return this.#connect({ ...this.#destination, credentials, allowPlaintext });
  }

  async close(): Promise<void> {
    await this.#broker?.then(
      (open) => open.close(),
      () => {},
    );
  }
}
