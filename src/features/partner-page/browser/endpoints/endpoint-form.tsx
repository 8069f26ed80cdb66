/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { useAction } from "../../../../pages/browser/work.ts";
import { ProblemNote, TextField } from "../parts.tsx";
import { eventTypesOf, useSession } from "../session.ts";
import type { Endpoint } from "../types.ts";

export type EndpointFields = Pick<Endpoint, "name" | "url" | "events">;

type EndpointFormProps = {
  /** The endpoint to change; none for a new one. */
  endpoint?: Endpoint;
  submitLabel: string;
  onSubmit: (fields: EndpointFields) => Promise<void>;
  onCancel: () => void;
};

/** The fields of an endpoint that a partner sets: name, URL and events. */
export function EndpointForm({ endpoint, submitLabel, onSubmit, onCancel }: EndpointFormProps) {
  const session = useSession();
  const types = eventTypesOf(session);
  const [name, setName] = useState(endpoint?.name ?? "");
  const [url, setUrl] = useState(endpoint?.url ?? "https://");
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(endpoint?.events ?? types));
  const saving = useAction(onSubmit);
  const save = (event: Event) => {
    event.preventDefault();
    const chosen = types.filter((type) => events.has(type)) as Endpoint["events"];
    void saving.start({ name, url, events: chosen });
  };
  const choose = (changed: readonly string[], isChosen: boolean) => {
    const next = new Set(events);
    for (const type of changed)
      if (isChosen) next.add(type);
      else next.delete(type);
    setEvents(next);
  };
  return (
    <form onSubmit={save} autocomplete="off">
      <TextField label="Name" value={name} onWrite={setName} isRequired />
      <TextField
        label="URL"
        hint="https, with a public address"
        type="url"
        value={url}
        onWrite={setUrl}
      />
      <fieldset>
        <legend>
          Events: {events.size} of {types.length}
        </legend>
        <div class="actions">
          <button type="button" onClick={() => choose(types, true)}>
            All
          </button>
          <button type="button" onClick={() => choose(types, false)}>
            None
          </button>
        </div>
        <ul class="checks">
          {types.map((type) => (
            <li key={type}>
              <label>
                <input
                  type="checkbox"
                  checked={events.has(type)}
                  onChange={(event) => choose([type], event.currentTarget.checked)}
                />
                <code>{type}</code>
              </label>
            </li>
          ))}
        </ul>
      </fieldset>
      <ProblemNote error={saving.error} />
      <div class="actions">
        <button type="submit" class="primary" disabled={saving.isBusy}>
          {submitLabel}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
