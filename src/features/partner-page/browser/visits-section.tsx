/** @jsxImportSource preact */
import type { Schemas } from "../../../client/index.ts";
import { useLoaded } from "../../../pages/browser/work.ts";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { ProblemNote, Time } from "./parts.tsx";
import { hasScope, type Session, useSession } from "./session.ts";
import { formatTime, nameOfZone, ownZone } from "./words.ts";

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

async function listVisits({ client }: Session): Promise<{ visits: Visit[]; hasMore: boolean }> {
  const [bookings, reservations] = await Promise.all([
    client.listBookings({ limit: PAGE_SIZE }),
    client.listReservations({ limit: PAGE_SIZE }),
  ]);
  return {
    visits: [...bookings.data, ...reservations.data]
      .map(toVisit)
      .toSorted((a, b) => Date.parse(b.startsAt) - Date.parse(a.startsAt)),
    hasMore: bookings.page.hasMore || reservations.page.hasMore,
  };
}

/** Section 6: the visits made with the key, in the time zone of the business. */
export function VisitsSection() {
  const session = useSession();
  const { key, client } = session;
  const areListed = listsOwn(session);
  const listed = useLoaded(
    async () => (areListed ? listVisits(session) : { visits: [], hasMore: false }),
    [client],
  );
  if (!areListed)
    return (
      <p class="note">
        {hasScope(key, "bookings.read")
          ? "This key reads the visits of all keys, and the API does not say which of them it made. They are not shown here."
          : "This key has no scope to book, so it has made no visits. With bookings.write it books, and sees here what it has booked."}
      </p>
    );
  const { timezone } = key.business;
  const isElsewhere = timezone !== ownZone();
  const { visits, hasMore } = listed.value ?? { visits: [], hasMore: false };
  return (
    <>
      <div class="actions">
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
    </>
  );
}
