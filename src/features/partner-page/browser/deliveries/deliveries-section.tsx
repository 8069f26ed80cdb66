/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { now } from "../../../../pages/browser/clock.ts";
import { useAction, useLoaded } from "../../../../pages/browser/work.ts";
import { OutsideText } from "../../../../pages/outside-text.tsx";
import { TroubleNotes } from "../endpoints/endpoint-troubles.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { SelectField, ProblemNote, Time, TextField } from "../parts.tsx";
import { SendAllAgain } from "./send-all-again.tsx";
import { eventTypesOf, hasScope, useSession } from "../session.ts";
import type { Delivery, DeliveryFilter, Endpoint } from "../types.ts";
import { DELIVERY_STATUSES, describeDelivery } from "../words.ts";

const PAGE_SIZE = 50;
const HOUR_MS = 3_600_000;

/** What the reader looks for; an empty text means any. */
type WantedDeliveries = {
  endpointId: string;
  eventType: string;
  status: string;
  /** How many hours to look back from now, or `RANGE`; empty for no limit. */
  hours: string;
  from: string;
  until: string;
};
const EVERYTHING: WantedDeliveries = {
  endpointId: "",
  eventType: "",
  status: "",
  hours: "",
  from: "",
  until: "",
};
/** The value of `hours` if the reader enters `from` and `until`. */
const RANGE = "range";

function toFilter({ endpointId, eventType, status, ...times }: WantedDeliveries): DeliveryFilter {
  return {
    ...(endpointId !== "" && { endpointId }),
    ...(eventType !== "" && { eventType: eventType as Delivery["eventType"] }),
    ...(status !== "" && { status: status as Delivery["status"] }),
    ...toTimes(times),
  };
}

function toTimes({
  hours,
  from,
  until,
}: Pick<WantedDeliveries, "hours" | "from" | "until">): Pick<DeliveryFilter, "since" | "until"> {
  if (hours === "") return {};
  if (hours !== RANGE) return { since: new Date(now() - Number(hours) * HOUR_MS).toISOString() };
  // The fields have times without an offset, which `Date` reads in the reader's zone.
  return {
    ...(from !== "" && { since: new Date(from).toISOString() }),
    ...(until !== "" && { until: new Date(until).toISOString() }),
  };
}

const NOTHING_SENT =
  "Nothing has been sent for this key yet. Create an endpoint, and send it a test event: both are under Endpoints.";
const NOTHING_FOUND = "No delivery is like that. Choose “all” above to see the others.";

type Listed = { deliveries: Delivery[]; nextCursor: string | null };

/** Section 3: the deliveries to all endpoints of the key, newest first. */
export function DeliveriesSection() {
  const session = useSession();
  const { client, key } = session;
  const mayRead = hasScope(key, "webhooks.read");
  const [wanted, setWanted] = useState(EVERYTHING);
  const endpoints = useLoaded<Endpoint[]>(
    async () => (mayRead ? (await client.listEndpoints()).data : []),
    [client],
  );
  const read = async (cursor: string | null = null): Promise<Listed> => {
    if (!mayRead) return { deliveries: [], nextCursor: null };
    const { data, page } = await client.listAllDeliveries({
      ...toFilter(wanted),
      limit: PAGE_SIZE,
      ...(cursor !== null && { cursor }),
    });
    return { deliveries: data, nextCursor: page.nextCursor };
  };
  const listed = useLoaded(read, [client, wanted]);
  const { deliveries, nextCursor } = listed.value ?? { deliveries: [], nextCursor: null };
  const readingOlder = useAction(async () => {
    const older = await read(nextCursor);
    const longer = { ...older, deliveries: [...deliveries, ...older.deliveries] };
    // The older deliveries are added only if the list is still the same: the reader may have chosen
    // another filter meanwhile.
    listed.update((current) => (current === listed.value ? longer : current));
  });
  if (!mayRead)
    return (
      <p class="note">
        This key has no scope for webhooks: ask the business for one with <code>webhooks.read</code>
        .
      </p>
    );
  const nameOf = (id: string) => endpoints.value?.find((each) => each.id === id)?.name ?? id;
  const replaceDelivery = (changed: Delivery) =>
    listed.update((current) => ({
      ...current,
      deliveries: current.deliveries.map((each) => (each.id === changed.id ? changed : each)),
    }));
  return (
    <>
      <TroubleNotes endpoints={endpoints.value ?? []} />
      <Filter wanted={wanted} endpoints={endpoints.value ?? []} onChange={setWanted} />
      <div class="actions">
        <button type="button" disabled={listed.isBusy} onClick={() => void listed.reload()}>
          Refresh
        </button>
        <SendAllAgain
          key={JSON.stringify(wanted)}
          filter={toFilter(wanted)}
          onSent={listed.reload}
        />
      </div>
      <ProblemNote error={endpoints.error ?? listed.error} />
      <p role="status" class="faint">
        {listed.isBusy
          ? "Reading…"
          : `${deliveries.length}${nextCursor === null ? "" : " or more"} ${deliveries.length === 1 ? "delivery" : "deliveries"}`}
      </p>
      {listed.value !== undefined && !listed.isBusy && deliveries.length === 0 && (
        <p>{Object.keys(toFilter(wanted)).length === 0 ? NOTHING_SENT : NOTHING_FOUND}</p>
      )}
      <ul class="deliveries">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <DeliveryRow
              delivery={delivery}
              name={nameOf(delivery.endpointId)}
              onChange={replaceDelivery}
            />
          </li>
        ))}
      </ul>
      {nextCursor !== null && (
        <button
          type="button"
          disabled={listed.isBusy || readingOlder.isBusy}
          onClick={() => void readingOlder.start()}
        >
          Older deliveries
        </button>
      )}
      <ProblemNote error={readingOlder.error} />
    </>
  );
}

type FilterProps = {
  wanted: WantedDeliveries;
  endpoints: readonly Endpoint[];
  onChange: (wanted: WantedDeliveries) => void;
};

function Filter({ wanted, endpoints, onChange }: FilterProps) {
  const types = eventTypesOf(useSession());
  const set = (field: keyof WantedDeliveries) => (value: string) =>
    onChange({ ...wanted, [field]: value });
  return (
    <div class="filter" role="search" aria-label="Deliveries">
      <SelectField
        label="Endpoint"
        value={wanted.endpointId}
        options={[["", "all"], ...endpoints.map(({ id, name }) => [id, name] as const)]}
        onChoose={set("endpointId")}
      />
      <SelectField
        label="Event"
        value={wanted.eventType}
        options={[["", "all"], ...types.map((type) => [type, type] as const)]}
        onChoose={set("eventType")}
      />
      <SelectField
        label="Status"
        value={wanted.status}
        options={[["", "all"], ...DELIVERY_STATUSES]}
        onChoose={set("status")}
      />
      <SelectField
        label="Created"
        value={wanted.hours}
        options={[
          ["", "at any time"],
          ["1", "in the last hour"],
          ["24", "in the last 24 hours"],
          ["168", "in the last 7 days"],
          [RANGE, "between two times"],
        ]}
        onChoose={set("hours")}
      />
      {wanted.hours === RANGE && (
        <>
          <TextField label="From" type="datetime-local" value={wanted.from} onWrite={set("from")} />
          <TextField
            label="Until"
            type="datetime-local"
            value={wanted.until}
            onWrite={set("until")}
          />
        </>
      )}
    </div>
  );
}

type DeliveryRowProps = {
  delivery: Delivery;
  name: string;
  onChange: (delivery: Delivery) => void;
};

function DeliveryRow({ delivery, name, onChange }: DeliveryRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { id, eventType, attemptCount, lastStatusCode, lastError, createdAt } = delivery;
  const { tone, text } = describeDelivery(delivery, now());
  return (
    <>
      <button
        type="button"
        class="delivery"
        aria-expanded={isOpen}
        aria-controls={`${id}-details`}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span class={tone}>{text}</span>
        <code>{eventType}</code>
        <OutsideText text={name} />
        <Time at={createdAt} />
        <span class="faint">
          {attemptCount} {attemptCount === 1 ? "attempt" : "attempts"}
          {lastStatusCode !== null && `, HTTP ${lastStatusCode}`}
        </span>
      </button>
      {lastStatusCode === null && lastError !== null && (
        <p class="faint">
          <OutsideText text={lastError} />
        </p>
      )}
      <div id={`${id}-details`}>{isOpen && <DeliveryDetails id={id} onChange={onChange} />}</div>
    </>
  );
}
