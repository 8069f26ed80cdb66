/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import type { Schemas } from "../../../client/index.ts";
import { now } from "../../../pages/browser/clock.ts";
import { useAction, useLoaded } from "../../../pages/browser/work.ts";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { ProblemNote, SelectField, Time } from "./parts.tsx";
import { hasScope, type Session, useSession } from "./session.ts";
import { formatTime, localDay, nameOfZone, ownZone } from "./words.ts";

type Booking = Schemas["BookingList"]["data"][number];
type Reservation = Schemas["ReservationList"]["data"][number];

type Visit = {
  id: string;
  status: string;
  startsAt: string;
  what: string;
  reference: string | null;
};

const PAGE_SIZE = 100;
const DAY_MS = 86_400_000;

/** The part of a list of the API that has been read so far, in the order of the visits' starts. */
type List = { visits: Visit[]; nextCursor: string | null };

const toVisit = (visit: Booking | Reservation): Visit => ({
  id: visit.id,
  status: visit.status,
  startsAt: visit.startsAt,
  reference: visit.customerRef,
  what:
    "segments" in visit
      ? visit.segments.map(({ serviceName, serviceId }) => serviceName ?? serviceId).join(", ")
      : `Table for ${visit.partySize}`,
});

/** Whether the API lists the visits that the key made, and no others. */
const listsOwn = ({ key }: Session): boolean =>
  hasScope(key, "bookings.write") && !hasScope(key, "bookings.read");

type Query = { from?: string; limit: number; cursor?: string };
type Page = { data: (Booking | Reservation)[]; page: { nextCursor: string | null } };

/** Reads the first page of a list, or adds the next page to the part in `before`. */
async function readOn(
  read: (query: Query) => Promise<Page>,
  query: Query,
  before: List | undefined,
): Promise<List> {
  if (before?.nextCursor === null) return before;
  const { data, page } = await read({ ...query, ...(before && { cursor: before.nextCursor }) });
  return {
    visits: [...(before?.visits ?? []), ...data.map(toVisit)],
    nextCursor: page.nextCursor,
  };
}

const startOf = ({ startsAt }: Visit): number => Date.parse(startsAt);

/**
 * Returns the visits in the order of their starts. A visit is left out if it starts after the last
 * visit of a list that has further pages, because these pages may have earlier visits.
 */
function inOrder(lists: readonly List[]): Visit[] {
  const ends = lists.flatMap(({ visits, nextCursor }) =>
    nextCursor === null ? [] : visits.slice(-1).map(startOf),
  );
  return lists
    .flatMap(({ visits }) => visits)
    .filter((visit) => startOf(visit) <= Math.min(...ends))
    .toSorted((a, b) => startOf(a) - startOf(b));
}

/** Section 6: the visits made with the key, in the time zone of the business. */
export function VisitsSection() {
  const session = useSession();
  const { key, client } = session;
  const areListed = listsOwn(session);
  const { timezone } = key.business;
  const [daysBefore, setDaysBefore] = useState("0");
  const read = async (before?: readonly List[]): Promise<List[]> => {
    if (!areListed) return [];
    const from = localDay(now() - Number(daysBefore) * DAY_MS, timezone);
    const query = { limit: PAGE_SIZE, ...(daysBefore !== "" && { from }) };
    return Promise.all([
      readOn(client.listBookings, query, before?.[0]),
      readOn(client.listReservations, query, before?.[1]),
    ]);
  };
  const listed = useLoaded(read, [client, daysBefore]);
  const readingLater = useAction(async () => {
    const longer = await read(listed.value);
    // The later visits are added only if the lists are still the same: the reader may have chosen
    // other dates meanwhile.
    listed.update((current) => (current === listed.value ? longer : current));
  });
  if (!areListed)
    return (
      <p class="note">
        {hasScope(key, "bookings.read")
          ? "This key reads the visits of all keys, and the API does not say which of them it made. They are not shown here."
          : "This key has no scope to book, so it has made no visits. With bookings.write it books, and sees here what it has booked."}
      </p>
    );
  const isElsewhere = timezone !== ownZone();
  const lists = listed.value ?? [];
  const visits = inOrder(lists);
  const hasMore = lists.some(({ nextCursor }) => nextCursor !== null);
  return (
    <>
      <div class="row">
        <SelectField
          label="Start"
          value={daysBefore}
          options={[
            ["0", "from today on"],
            ["30", "from 30 days ago on"],
            ["", "at any time"],
          ]}
          onChoose={setDaysBefore}
        />
        <button type="button" disabled={listed.isBusy} onClick={() => void listed.reload()}>
          Refresh
        </button>
      </div>
      <ProblemNote error={listed.error} />
      <p role="status" class="faint">
        {listed.isBusy
          ? "Reading…"
          : `${visits.length}${hasMore ? " or more" : ""} ${visits.length === 1 ? "visit" : "visits"}. Starts are in ${nameOfZone(timezone)}.`}
      </p>
      {visits.length > 0 && (
        <table class="amounts">
          <caption class="visually-hidden">Visits made with this key</caption>
          <thead>
            <tr>
              <th scope="col">Start</th>
              <th scope="col">What</th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {visits.map(({ id, status, startsAt, what, reference }) => (
              <tr key={id}>
                <td>
                  <Time at={startsAt} zone={timezone} />
                  {isElsewhere && <span class="hint">{formatTime(startsAt)} your time</span>}
                </td>
                <td>
                  <OutsideText text={what} />
                  <span class="hint">
                    <code>{id}</code>
                    {reference !== null && (
                      <>
                        {" "}
                        for <OutsideText text={reference} />
                      </>
                    )}
                  </span>
                </td>
                <td>{status.toLowerCase().replace("_", " ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasMore && (
        <button
          type="button"
          disabled={listed.isBusy || readingLater.isBusy}
          onClick={() => void readingLater.start()}
        >
          Later visits
        </button>
      )}
      <ProblemNote error={readingLater.error} />
    </>
  );
}
