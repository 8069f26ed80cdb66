/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { useAction } from "../../../../pages/browser/work.ts";
import { SelectField, Confirm, ProblemNote, SecretOnce, Time } from "../parts.tsx";
import { requestSecret, useSession } from "../session.ts";
import type { Endpoint } from "../types.ts";

const OVERLAPS = [
  ["86400", "a day"],
  ["3600", "an hour"],
  ["0", "no time: the old one ends at once"],
] as const;

type EndpointSecretProps = { endpoint: Endpoint; onChange: (endpoint: Endpoint) => void };

/** Rotates the signing secret of an endpoint, or finishes the rotation. */
export function EndpointSecret({ endpoint, onChange }: EndpointSecretProps) {
  const session = useSession();
  const { client, secrets, shownSecrets } = session;
  const { id, oldSecretEndsAt } = endpoint;
  const secret = shownSecrets.get(id);
  const [overlap, setOverlap] = useState<string>("86400");
  const rotating = useAction(async () => {
    const { data } = await requestSecret(session, client.rotateEndpointSecret, {
      id,
      body: { overlapSeconds: Number(overlap) },
    });
    // The page signs with `secrets`, and shows `shownSecrets`.
    secrets.set(id, data.secret);
    shownSecrets.set(id, data.secret);
    onChange(data);
  });
  const finishing = useAction(async () => {
    onChange((await client.finishSecretRotation({ id })).data);
  });
  return (
    <>
      {secret !== undefined && <SecretOnce label="The signing secret." secret={secret} />}
      <details>
        <summary>Signing secret</summary>
        {oldSecretEndsAt === null ? (
          <div class="row">
            <SelectField
              label="Sign with both secrets for"
              value={overlap}
              options={OVERLAPS}
              onChoose={setOverlap}
            />
            <button type="button" disabled={rotating.isBusy} onClick={() => void rotating.start()}>
              Rotate the secret
            </button>
          </div>
        ) : (
          <>
            <p>
              A rotation is in progress: events are also signed with the old secret until{" "}
              <Time at={oldSecretEndsAt} />. Give your receiver the new secret, and send a test
              event, before you finish it.
            </p>
            <Confirm
              label="Finish the rotation"
              question="From then on, events are signed with the new secret only."
              confirm="End the old secret"
              isBusy={finishing.isBusy}
              onConfirm={() => void finishing.start()}
            />
          </>
        )}
      </details>
      <ProblemNote error={rotating.error ?? finishing.error} />
    </>
  );
}
