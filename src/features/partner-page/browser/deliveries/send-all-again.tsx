/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { useAction } from "../../../../pages/browser/work.ts";
import { ProblemNote } from "../parts.tsx";
import { canWrite, useSession } from "../session.ts";
import type { DeliveryFilter } from "../types.ts";

/**
 * The maximum number of requests. Each request handles 1,000 deliveries, and a key can have 10,000
 * pending redeliveries.
 */
const MAX_PAGES = 10;

type SendAllAgainProps = {
  filter: DeliveryFilter;
  onSent: () => Promise<void>;
};

/** Sends all deliveries that match the filter again, after it has shown how many there are. */
export function SendAllAgain({ filter, onSent }: SendAllAgainProps) {
  const { client, key } = useSession();
  const [matching, setMatching] = useState<Counted>();
  const [sent, setSent] = useState<Counted>();
  const { status, ...otherFilters } = filter;
  // Parked and corrupt deliveries cannot be sent again.
  const isSendable = status !== "PARKED" && status !== "CORRUPT";
  const body = { ...otherFilters, ...(isSendable && status !== undefined && { status }) };
  const run = async (dryRun: boolean, onCount: (counted: Counted) => void) => {
    let count = 0;
    let hasDisabled = false;
    let cursor: string | null = null;
    for (let pages = 1; pages <= MAX_PAGES; pages++) {
      const { data, page } = await client.redeliverDeliveries({
        body: { ...body, ...(cursor !== null && { cursor }) },
        ...(dryRun && { dryRun }),
      });
      count += data.count;
      hasDisabled ||= data.disabledEndpointIds.length > 0;
      cursor = page.nextCursor;
      onCount({ count, hasMore: page.hasMore, hasDisabled });
      if (!page.hasMore || cursor === null) return;
    }
  };
  const counting = useAction(async () => {
    setSent(undefined);
    await run(true, setMatching);
  });
  const sending = useAction(async () => {
    await run(false, setSent);
    setMatching(undefined);
    await onSent();
  });
  if (!canWrite(key)) return null;
  if (!isSendable) return <p class="hint">Deliveries with this status cannot be sent again.</p>;
  // The API refuses a redelivery without a filter.
  if (Object.keys(filter).length === 0)
    return (
      <p class="hint">
        To send many deliveries again, choose above which ones: by endpoint, event, status or time.
      </p>
    );
  return (
    <>
      {matching === undefined && (
        <button type="button" disabled={counting.isBusy} onClick={() => void counting.start()}>
          Send all of these again
        </button>
      )}
      {matching !== undefined && (
        <div class="note warn" role="group" aria-label="Send all of these again">
          <p>
            {amountOf(matching)} {matching.count === 1 ? "delivery" : "deliveries"} with this filter
            can be sent again, also those that were delivered. Your receiver gets the same event IDs
            as before.
            {matching.hasDisabled && (
              <>
                {" "}
                Those of an endpoint that is paused or disabled are left out:{" "}
                <a href="#endpoints">resume it first</a>.
              </>
            )}
          </p>
          <div class="actions">
            <button
              type="button"
              class="primary"
              disabled={matching.count === 0 || counting.isBusy || sending.isBusy}
              onClick={() => void sending.start()}
            >
              Send {amountOf(matching)} again
            </button>
            <button
              type="button"
              ref={(button) => button?.focus()}
              onClick={() => setMatching(undefined)}
            >
              Cancel
            </button>
          </div>
        </div>
      )}
      <span role="status">
        {sent !== undefined &&
          `${sent.count} ${sent.count === 1 ? "is" : "are"} being sent again.${sent.hasMore ? " There are more: repeat it when these have been sent." : ""}`}
      </span>
      <ProblemNote error={counting.error ?? sending.error} />
    </>
  );
}

type Counted = { count: number; hasMore: boolean; hasDisabled: boolean };

const amountOf = ({ count, hasMore }: Counted): string =>
  hasMore ? `${count} or more` : `${count}`;
