/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { useLoaded } from "../../../../pages/browser/work.ts";
import { EndpointCard } from "./endpoint-card.tsx";
import { EndpointForm, type EndpointFields } from "./endpoint-form.tsx";
import { ProblemNote } from "../parts.tsx";
import { canWrite, hasScope, requestSecret, useSession } from "../session.ts";
import type { Endpoint } from "../types.ts";

/** Section 2: the endpoints of the key, with their state in words. */
export function EndpointsSection() {
  const session = useSession();
  const { client, key, secrets, shownSecrets, unanswered, reload: reloadKey } = session;
  const [isCreating, setIsCreating] = useState(false);
  const mayRead = hasScope(key, "webhooks.read");
  const endpoints = useLoaded<Endpoint[]>(
    async () => (mayRead ? (await client.listEndpoints()).data : []),
    [client],
  );
  if (!mayRead)
    return (
      <p class="note">
        This key has no scope for webhooks. With <code>webhooks.read</code> it sees its endpoints,
        and with <code>webhooks.write</code> it creates and repairs them: ask the business for such
        a key.
      </p>
    );
  const create = async (fields: EndpointFields) => {
    const { data } = await requestSecret(session, client.createEndpoint, { body: fields });
    // The page signs with `secrets`, and shows `shownSecrets`.
    secrets.set(data.id, data.secret);
    shownSecrets.set(data.id, data.secret);
    setIsCreating(false);
    await Promise.all([endpoints.reload(), reloadKey()]);
  };
  const reloadAfterDeletion = async () => {
    // A new endpoint with the same fields as the deleted one needs another idempotency key.
    unanswered.clear();
    await Promise.all([endpoints.reload(), reloadKey()]);
  };
  const list = endpoints.value ?? [];
  const replaceEndpoint = (changed: Endpoint) =>
    endpoints.update((current) => current.map((each) => (each.id === changed.id ? changed : each)));
  return (
    <>
      <div class="actions">
        <button type="button" disabled={endpoints.isBusy} onClick={() => void endpoints.reload()}>
          Refresh
        </button>
        {canWrite(key) && !isCreating && (
          <button type="button" class="primary" onClick={() => setIsCreating(true)}>
            Create an endpoint
          </button>
        )}
      </div>
      <ProblemNote error={endpoints.error} />
      {isCreating && (
        <section class="card" aria-labelledby="new-endpoint">
          <h3 id="new-endpoint">New endpoint</h3>
          <EndpointForm
            submitLabel="Create"
            onSubmit={create}
            onCancel={() => setIsCreating(false)}
          />
        </section>
      )}
      {list.length === 0 && !endpoints.isBusy && (
        <p>
          {endpoints.error === undefined &&
            "This key has no endpoints. Endpoints that the business made without naming this key are not shown."}
        </p>
      )}
      {list.map((endpoint) => (
        <EndpointCard
          key={endpoint.id}
          endpoint={endpoint}
          onChange={replaceEndpoint}
          onDelete={reloadAfterDeletion}
        />
      ))}
    </>
  );
}
