/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { now } from "../../../../pages/browser/clock.ts";
import { useAction } from "../../../../pages/browser/work.ts";
import { OutsideText } from "../../../../pages/outside-text.tsx";
import { EndpointForm, type EndpointFields } from "./endpoint-form.tsx";
import { EndpointTest } from "./endpoint-test.tsx";
import { EndpointSecret } from "./endpoint-secret.tsx";
import { SelectField, Confirm, ProblemNote, Time } from "../parts.tsx";
import { canWrite, useSession } from "../session.ts";
import type { Endpoint } from "../types.ts";
import { adviseOn, describeEndpoint } from "../words.ts";

type EndpointCardProps = {
  endpoint: Endpoint;
  onChange: (endpoint: Endpoint) => void;
  onDelete: () => Promise<void>;
};

/** An endpoint: what it does at the moment, why, and what can be done about it. */
export function EndpointCard({ endpoint, onChange, onDelete }: EndpointCardProps) {
  const { key } = useSession();
  const { id, name, url, events, state, lastDeliveredAt } = endpoint;
  const words = describeEndpoint(endpoint, now());
  return (
    <section class="card" aria-labelledby={id}>
      <h3 id={id}>
        <OutsideText text={name} />
      </h3>
      <p>
        <code>
          <OutsideText text={url} />
        </code>
      </p>
      <p class={`state ${words.tone}`}>
        <strong>
          <OutsideText text={words.text} />
        </strong>
      </p>
      {state.code !== "WORKING" && <p>{adviseOn(endpoint)}</p>}
      <p class="faint">
        {lastDeliveredAt === null ? (
          "Its receiver has not accepted an event yet, other than tests."
        ) : (
          <>
            Its receiver last accepted an event at <Time at={lastDeliveredAt} />.
          </>
        )}{" "}
        <code>{id}</code>
      </p>
      <details>
        <summary>
          {events.length} event {events.length === 1 ? "type" : "types"}
        </summary>
        <ul class="codes">
          {events.map((type) => (
            <li key={type}>
              <code>{type}</code>
            </li>
          ))}
        </ul>
      </details>
      {canWrite(key) && (
        <>
          <EndpointTest endpoint={endpoint} onTested={onChange} />
          <Changes endpoint={endpoint} onChange={onChange} onDelete={onDelete} />
        </>
      )}
    </section>
  );
}

/** The buttons that change an endpoint. */
function Changes({ endpoint, onChange, onDelete }: EndpointCardProps) {
  const { client } = useSession();
  const { id, name, status, state } = endpoint;
  const [isEditing, setIsEditing] = useState(false);
  const [isSent, setIsSent] = useState(false);
  /** Which deliveries are sent when a disabled endpoint is resumed. */
  const [recover, setRecover] = useState<"all" | "none">("all");
  const change = useAction(async (run: () => Promise<{ data: Endpoint }>) => {
    onChange((await run()).data);
  });
  const removing = useAction(async () => {
    await client.deleteEndpoint({ id });
    await onDelete();
  });
  const save = async (fields: EndpointFields) => {
    onChange((await client.updateEndpoint({ id, body: fields })).data);
    setIsEditing(false);
  };
  const pause = () => client.updateEndpoint({ id, body: { status: "DISABLED" } });
  const resume = () => client.enableEndpoint({ id, body: { recover } });
  const sendWaiting = useAction(async () => {
    // The first request sends deliveries that wait for their next attempts. The second one enables
    // the endpoint, which ends its backoff although it is active.
    await client.redeliverDeliveries({ body: { endpointId: id, status: "PENDING" } });
    onChange((await client.enableEndpoint({ id })).data);
    setIsSent(true);
  });
  const isBusy = change.isBusy || removing.isBusy || sendWaiting.isBusy;
  return (
    <>
      <div class="actions">
        {status === "ACTIVE" && (
          <button type="button" disabled={isBusy} onClick={() => void change.start(pause)}>
            Pause
          </button>
        )}
        {status === "ACTIVE" && (
          <button
            type="button"
            class={state.code === "WORKING" ? "" : "primary"}
            disabled={isBusy}
            onClick={() => void sendWaiting.start()}
          >
            Send the waiting events now
          </button>
        )}
        <button type="button" aria-expanded={isEditing} onClick={() => setIsEditing(!isEditing)}>
          Change URL, name or events
        </button>
        <Confirm
          label="Delete"
          question={
            <>
              Delete <OutsideText text={name} />? Its waiting deliveries are cancelled.
            </>
          }
          confirm="Delete the endpoint"
          isBusy={isBusy}
          onConfirm={() => void removing.start()}
        />
      </div>
      <p role="status">
        {isSent && (
          <>
            All events that wait for this endpoint are being sent:{" "}
            <a href="#deliveries">see Deliveries</a>.
          </>
        )}
      </p>
      {status === "DISABLED" && (
        <div class="row">
          <SelectField
            label="Events that it missed"
            value={recover}
            options={[
              ["all", "send all of them"],
              ["none", "leave them out"],
            ]}
            onChoose={(value) => setRecover(value === "none" ? "none" : "all")}
          />
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            onClick={() => void change.start(resume)}
          >
            Resume
          </button>
        </div>
      )}
      {isEditing && (
        <EndpointForm
          endpoint={endpoint}
          submitLabel="Save"
          onSubmit={save}
          onCancel={() => setIsEditing(false)}
        />
      )}
      <EndpointSecret endpoint={endpoint} onChange={onChange} />
      <ProblemNote error={change.error ?? sendWaiting.error} />
      <ProblemNote error={removing.error} />
    </>
  );
}
