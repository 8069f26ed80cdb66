import { DeskbellError } from "./errors.ts";
import { MirrorCopy } from "./mirror-copy.ts";
import { LISTS, type MirrorList, type MirrorLists, toData } from "./mirror-lists.ts";
import { MirrorReader } from "./mirror-reader.ts";
import type { MirrorStorage } from "./mirror-storage.ts";
import { wait } from "./send.ts";
import type { DeskbellClient } from "./types.ts";

export type MirrorOptions = {
  /** The client: its key needs the scopes `services.read` and `webhooks.read`. */
  client: DeskbellClient;
  storage: MirrorStorage;
  /** The lists to keep; all by default. */
  lists?: readonly MirrorList[] | undefined;
  /**
   * The least time between two synchronizations; 2 by default, because one edit has several events.
   */
  intervalSeconds?: number | undefined;
  /** Returns the time in epoch milliseconds; by default that of the clock. */
  now?: (() => number) | undefined;
};

/** The lists that a synchronization has changed. */
export type MirrorChange = { changed: MirrorList[] };

export type FollowOptions = {
  signal: AbortSignal;
  onChange?: ((change: MirrorChange) => void) | undefined;
  /** Called with each temporary error; the mirror then tries again. */
  onError?: ((error: DeskbellError) => void) | undefined;
};

/** A copy of the catalog of a business. One program at a time may write to its storage. */
export type Mirror = {
  /**
   * Brings the copy up to date. Call it when your program starts, for each webhook, and once an
   * hour. Calls that wait for their turn share one synchronization.
   * @throws DeskbellError if the server cannot be read; the copy keeps what was read before
   */
  sync: () => Promise<MirrorChange>;
  /**
   * Keeps the copy up to date without webhooks, until the signal is aborted: a request waits until
   * there is an event.
   * @throws DeskbellError if the server refuses the key
   */
  follow: (options: FollowOptions) => Promise<void>;
  /** Returns a list of the copy, as a response would contain it now. */
  read: <List extends MirrorList>(list: List) => Promise<MirrorLists[List]>;
};

const MAX_WAIT_SECONDS = 25;
const PAUSE_AFTER_ERROR_SECONDS = 30;

/** Returns a mirror that works as the guide "Keep a mirror" says: events change single objects. */
export function createMirror(options: MirrorOptions): Mirror {
  const { client, storage, intervalSeconds = 2, now = Date.now } = options;
  const lists = options.lists ?? (Object.keys(LISTS) as MirrorList[]);
  const reader = new MirrorReader(client, lists, now);
  let lastUpdate: Promise<unknown> = Promise.resolve();
  /**
   * The synchronization that waits for its turn; undefined if none waits. All calls of `sync` share
   * it until it starts.
   */
  let waitingSync: Promise<MirrorChange> | undefined;
  let lastStartedAt = -Infinity;

  /** Updates the copy when all updates that were requested earlier have ended. */
  const update = (maxWaitSeconds: number, signal?: AbortSignal): Promise<MirrorChange> => {
    const run = lastUpdate.then(async () => {
      const pause = lastStartedAt + intervalSeconds * 1000 - now();
      // The pause has a limit, because the clock may have been set back.
      if (pause > 0) await wait(Math.min(pause, intervalSeconds * 1000), signal);
      lastStartedAt = now();
      waitingSync = undefined;
      const copy = await MirrorCopy.load(storage);
      await reader.update(copy, maxWaitSeconds, signal);
      return { changed: [...copy.changed] };
    });
    lastUpdate = run.catch(() => {});
    return run;
  };

  async function follow({ signal, onChange, onError }: FollowOptions): Promise<void> {
    for (let maxWaitSeconds = 0; !signal.aborted;) {
      try {
        const change = await update(maxWaitSeconds, signal);
        if (change.changed.length > 0) onChange?.(change);
        maxWaitSeconds = MAX_WAIT_SECONDS;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof DeskbellError) || !isTemporary(error)) throw error;
        onError?.(error);
        maxWaitSeconds = 0;
        const pause = error.retryAfter ?? PAUSE_AFTER_ERROR_SECONDS;
        await wait(pause * 1000, signal).catch(() => {});
      }
    }
  }

  return {
    sync: () => (waitingSync ??= update(0)),
    follow,
    async read<List extends MirrorList>(list: List): Promise<MirrorLists[List]> {
      const copy = await MirrorCopy.load(storage);
      return toData(list, await copy.objectsOf(list), now()) as MirrorLists[List];
    },
  };
}

const isTemporary = ({ status }: DeskbellError): boolean =>
  status === 0 || status === 429 || status >= 500;
