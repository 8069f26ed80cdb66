/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import type { Result } from "../../../client/index.ts";
import { now } from "../../../pages/browser/clock.ts";
import { useAction, useLoaded } from "../../../pages/browser/work.ts";
import { CopyButton, SelectField, Lines, ProblemNote, Time, TextField } from "./parts.tsx";
import { eventTypesOf, hasScope, useSession } from "./session.ts";
import type { Endpoint } from "./types.ts";
import { distance } from "./words.ts";

const HOUR_MS = 3_600_000;
const PAGE_SIZE = 100;
/** The most pages that are read at once: each counts towards the rate limit of the key. */
const MAX_PAGES = 5;

type Change = Result<"listChanges">["data"][number];

type FeedPart = {
  events: { sequence: number; event: Change }[];
  hasMore: boolean;
  cursor: string;
};

type Start = { since: string } | { after: string };

const countEvents = (count: number): string => `${count} ${count === 1 ? "event" : "events"}`;

/** Section 4: the last events of the feed, and how far a cursor is behind. */
export function FeedSection() {
  const session = useSession();
  const { client, key } = session;
  const mayRead = hasScope(key, "webhooks.read");
  const [hours, setHours] = useState("24");
  const read = async (start: Start): Promise<FeedPart> => {
    const events: FeedPart["events"] = [];
    let from: Start = start;
    // The feed leaves out some event types unless they are named.
    const types = eventTypesOf(session) as Endpoint["events"];
    for (let pages = 1; ; pages++) {
      const { data, page, meta } = await client.listChanges({ ...from, types, limit: PAGE_SIZE });
      events.push(...data.map((event, i) => ({ event, sequence: meta.sequences[i] ?? 0 })));
      const cursor = page.nextCursor ?? "";
      if (!page.hasMore || pages === MAX_PAGES) return { events, hasMore: page.hasMore, cursor };
      from = { after: cursor };
    }
  };
  const since = () => new Date(now() - Number(hours) * HOUR_MS).toISOString();
  const feed = useLoaded<FeedPart | undefined>(
    async () => (mayRead ? read({ since: since() }) : undefined),
    [client, hours],
  );
  if (!mayRead)
    return (
      <p class="note">
        The feed needs the scope <code>webhooks.read</code>: ask the business for a key that has it.
      </p>
    );
  const events = (feed.value?.events ?? []).toReversed();
  return (
    <>
      <CursorCheck read={read} />
      <h3>Last events</h3>
      <div class="row">
        <SelectField
          label="Created"
          value={hours}
          options={[
            ["1", "in the last hour"],
            ["24", "in the last 24 hours"],
            ["168", "in the last 7 days"],
          ]}
          onChoose={setHours}
        />
        <button type="button" disabled={feed.isBusy} onClick={() => void feed.reload()}>
          Refresh
        </button>
      </div>
      <ProblemNote error={feed.error} />
      <p role="status" class="faint">
        {feed.isBusy ? "Reading…" : `${countEvents(events.length)}, newest first.`}
        {feed.value?.hasMore === true &&
          " There are more: these are the oldest ones of that time. Choose a shorter time."}
      </p>
      <ol class="events" reversed>
        {events.map(({ sequence, event }) => (
          <li key={event.id} value={sequence}>
            <details>
              <summary>
                <code>{event.type}</code> <Time at={event.createdAt} />
              </summary>
              <Lines label={`Event ${sequence}`} text={JSON.stringify(event, null, 2)} />
            </details>
          </li>
        ))}
      </ol>
      {feed.value !== undefined && !feed.value.hasMore && (
        <div class="actions">
          <CopyButton text={() => feed.value?.cursor ?? ""}>Copy the cursor after these</CopyButton>
        </div>
      )}
    </>
  );
}

/** Counts the events after a cursor that a client has stored. */
function CursorCheck({ read }: { read: (start: Start) => Promise<FeedPart> }) {
  const [cursor, setCursor] = useState("");
  const [eventsAfter, setEventsAfter] = useState<FeedPart>();
  const counting = useAction(async () => {
    setEventsAfter(undefined);
    setEventsAfter(await read({ after: cursor.trim() }));
  });
  const submit = (event: Event) => {
    event.preventDefault();
    void counting.start();
  };
  const [next] = eventsAfter?.events ?? [];
  return (
    <form class="card" onSubmit={submit} autocomplete="off">
      <h3>How far is a cursor behind?</h3>
      <TextField
        label="Cursor"
        hint="The page.nextCursor that your client has stored. Reading it here does not move it."
        value={cursor}
        onWrite={setCursor}
      />
      <button type="submit" disabled={counting.isBusy || cursor.trim() === ""}>
        Count the events after it
      </button>
      <ProblemNote error={counting.error} />
      {eventsAfter !== undefined && (
        <p role="status" class={`note ${next === undefined ? "good" : "warn"}`}>
          {next === undefined ? (
            "Up to date: no event that this key may read comes after it."
          ) : (
            <>
              {eventsAfter.hasMore && "More than "}
              {countEvents(eventsAfter.events.length)} behind, by{" "}
              {distance(now() - Date.parse(next.event.createdAt))}. The next is{" "}
              <code>{next.event.type}</code> of <Time at={next.event.createdAt} />.
            </>
          )}
        </p>
      )}
    </form>
  );
}
