/** @jsxImportSource preact */
import { now } from "../../../../pages/browser/clock.ts";
import { useAction, useLoaded } from "../../../../pages/browser/work.ts";
import { OutsideText } from "../../../../pages/outside-text.tsx";
import { writeCurl } from "../curl.ts";
import { headerLines } from "../endpoints/endpoint-test.tsx";
import { CopyButton, Lines, ProblemNote, Time } from "../parts.tsx";
import { canWrite, useSession } from "../session.ts";
import type { Delivery, DeliveryDetail } from "../types.ts";
import { explainWaiting } from "../words.ts";

type DeliveryDetailsProps = { id: string; onChange: (delivery: Delivery) => void };

/** The request of a delivery, its attempts with the responses, and the ways to send it again. */
export function DeliveryDetails({ id, onChange }: DeliveryDetailsProps) {
  const { client, key, secrets } = useSession();
  const detail = useLoaded<DeliveryDetail>(
    async () => (await client.getDelivery({ id })).data,
    [client, id],
  );
  const sending = useAction(async () => {
    const { data } = await client.redeliverDelivery({ id });
    onChange(data);
    await detail.reload();
  });
  const delivery = detail.value;
  if (delivery === undefined)
    return detail.isBusy ? <p role="status">Reading…</p> : <ProblemNote error={detail.error} />;
  const { request, attempts, waiting } = delivery;
  const secret = secrets.get(delivery.endpointId) ?? "";
  return (
    <div class="card">
      <p class="faint">
        <code>{delivery.id}</code> for <code>{delivery.eventId}</code>, number {delivery.sequence}{" "}
        of the feed
      </p>
      {waiting !== null && <Waiting waiting={waiting} />}
      <div class="actions">
        {canWrite(key) && (
          <button
            type="button"
            class="primary"
            disabled={sending.isBusy}
            onClick={() => void sending.start()}
          >
            Send again
          </button>
        )}
        <button type="button" disabled={detail.isBusy} onClick={() => void detail.reload()}>
          Refresh
        </button>
        {request !== null && (
          <CopyButton text={() => writeCurl(request, secret, now())}>Copy as curl</CopyButton>
        )}
      </div>
      <ProblemNote error={sending.error ?? detail.error} />
      {request === null ? (
        <p>The event is no longer kept, so its body cannot be shown.</p>
      ) : (
        <>
          <h3>Request</h3>
          {request.url !== null && (
            <p>
              POST{" "}
              <code>
                <OutsideText text={request.url} />
              </code>
            </p>
          )}
          <Lines label="Headers" text={headerLines(request.headers)} />
          <Lines label="Body" text={request.body} />
          <p class="hint">
            The body is shown exactly as it is signed. The curl command{" "}
            {secret === ""
              ? "has a placeholder for the signature: paste the signing secret under Signature check, and it is signed."
              : "is signed anew with the secret that you have pasted."}
          </p>
        </>
      )}
      <h3>Attempts</h3>
      {attempts.length === 0 && <p>None yet.</p>}
      <ol class="attempts">
        {attempts.map(({ n, at, durationMs, statusCode, error, responseText }) => (
          <li key={n} value={n}>
            <Time at={at} />,{" "}
            <strong>{statusCode === null ? "no response" : `HTTP ${statusCode}`}</strong>
            {statusCode !== null && ` in ${Math.round(durationMs)} ms`}
            {statusCode === null && error !== null && (
              <>
                : <OutsideText text={error} />
              </>
            )}
            {responseText !== null && responseText !== "" && (
              <Lines label={`Response ${n}`} text={responseText} />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

/**
 * Says why a delivery has not been sent yet, and until when it waits, in the reader's time zone.
 */
const Waiting = ({ waiting }: { waiting: NonNullable<Delivery["waiting"]> }) => (
  <p>
    {explainWaiting(waiting)}
    {waiting.until !== null && (
      <>
        {" "}
        until <Time at={waiting.until} />
      </>
    )}
    .{" "}
    {waiting.reason !== "retry" && waiting.reason !== "due" && (
      <a href="#endpoints">See Endpoints</a>
    )}
  </p>
);
