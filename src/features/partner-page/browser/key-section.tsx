/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { now } from "../../../pages/browser/clock.ts";
import { useAction } from "../../../pages/browser/work.ts";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { SelectField, Confirm, ProblemNote, SecretOnce, Time } from "./parts.tsx";
import { EndpointTroubles } from "./endpoints/endpoint-troubles.tsx";
import { QuickStart } from "./quick-start.tsx";
import { requestSecret, useSession } from "./session.ts";
import type { Key } from "./types.ts";
import { distance } from "./words.ts";

/** Section 1: what the key is, and how much of its limits is used. */
export function KeySection() {
  const { key, reload } = useSession();
  const reloading = useAction(reload);
  const { business } = key;
  return (
    <>
      {key.usesOldSecret && (
        <p class="note warn">
          This is the old secret of the key, which was rotated. Switch to the new one
          {key.rotation?.oldSecretEndsAt && (
            <>
              {" "}
              before <Time at={key.rotation.oldSecretEndsAt} />
            </>
          )}
          .
        </p>
      )}
      <EndpointTroubles />
      <QuickStart />
      <dl class="facts">
        <Fact name="Business">
          <OutsideText text={business.name} /> (<code>{business.slug}</code>), {business.timezone}
        </Fact>
        <Fact name="Key">
          <OutsideText text={key.name} />{" "}
          <code>
            {key.prefix}…{key.last4}
          </code>
        </Fact>
        <Fact name="Scopes">
          <Codes values={key.scopes} />
        </Fact>
        <Fact name="Event groups">
          <Codes values={key.eventGroups} />
          {key.ownVisitsOnly && (
            <p class="hint">Of bookings and orders, it receives only events of those it made.</p>
          )}
          {!key.customerReferences && (
            <p class="hint">
              <code>customerRef</code> and <code>cancelReason</code> are null in its events.
            </p>
          )}
        </Fact>
        <Fact name="Addresses">
          {key.cidrs.length === 0 ? "any" : <Codes values={key.cidrs} />}
        </Fact>
        <Fact name="Expiry">
          <Expiry at={key.expiresAt} />
        </Fact>
        <Fact name="Server">
          {key.lastDeliveryAt === null ? (
            "no receiver of any partner has accepted a webhook recently"
          ) : (
            <>
              last webhook that any receiver, yours or another, accepted:{" "}
              <Time at={key.lastDeliveryAt} />
            </>
          )}
        </Fact>
      </dl>
      <Limits limits={key.limits} />
      <div class="actions">
        <button type="button" disabled={reloading.isBusy} onClick={() => void reloading.start()}>
          Refresh
        </button>
      </div>
      <ProblemNote error={reloading.error} />
      <Rotation />
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const Codes = ({ values }: { values: readonly string[] }) => (
  <ul class="codes">
    {values.map((value) => (
      <li key={value}>
        <code>{value}</code>
      </li>
    ))}
  </ul>
);

const Expiry = ({ at }: { at: string | null }) =>
  at === null ? (
    <>does not expire</>
  ) : (
    <>
      in {distance(Date.parse(at) - now())}, at <Time at={at} />
    </>
  );

/** The limits as rows of a table: what is counted, how much is used, and how much is allowed. */
function Limits({ limits }: Pick<Key, "limits">) {
  const rows: [name: string, used: number, limit: number, note: string][] = [
    ...limits.requests.map(
      ({ window, used, limit, resetSeconds }): [string, number, number, string] => [
        `Requests ${window.replace("-", " ")}`,
        used,
        limit,
        `free again within ${distance(resetSeconds * 1000)}`,
      ],
    ),
    ["Webhook endpoints", limits.endpoints.used, limits.endpoints.limit, ""],
    ["Holds and unpaid orders", limits.holds.used, limits.holds.limit, ""],
    ["Visits booked in 24 hours", limits.bookingsDay.used, limits.bookingsDay.limit, ""],
    [
      "Deliveries that you have sent again and that wait",
      limits.redeliveries.used,
      limits.redeliveries.limit,
      "",
    ],
  ];
  return (
    <>
      <h3 id="limits">Limits</h3>
      <p class="hint">This page sends its requests with your key, so they count, too.</p>
      <table class="amounts" aria-labelledby="limits">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Used</th>
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, used, limit, note]) => (
            <tr key={name}>
              <th scope="row">
                {name} {note !== "" && <span class="hint">{note}</span>}
              </th>
              <td class={used >= limit ? "bad" : ""}>
                {used}
                {used >= limit && " (reached)"}
              </td>
              <td>{limit}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const OVERLAPS = [
  ["86400", "a day"],
  ["3600", "an hour"],
  ["604800", "seven days"],
  ["0", "no time: it ends at once"],
] as const;

/** Gives the key a new secret, with which the page continues. */
function Rotation() {
  const session = useSession();
  const { key, client, shownSecrets, continueWith } = session;
  const [overlap, setOverlap] = useState<string>("86400");
  const secret = shownSecrets.get(key.id);
  const rotation = useAction(async () => {
    const body = { overlapSeconds: Number(overlap) };
    const { data } = await requestSecret(session, client.rotateKey, { body });
    shownSecrets.set(key.id, data.secret);
    await continueWith(data.secret);
  });
  return (
    <section class="card" aria-labelledby="rotation">
      <h3 id="rotation">Rotate the key</h3>
      {key.rotation && (
        <p>
          Rotated at <Time at={key.rotation.at} /> by{" "}
          {key.rotation.by === "KEY" ? "the key itself" : "the business"}.{" "}
          {key.rotation.oldSecretEndsAt === null ? (
            "The old secret no longer works."
          ) : (
            <>
              The old secret works until <Time at={key.rotation.oldSecretEndsAt} />.
            </>
          )}
        </p>
      )}
      {!key.selfRotation ? (
        <p>
          This key cannot rotate itself. The business rotates it with{" "}
          <code>deskbell keys rotate KEY</code>, or allows it to with{" "}
          <code>deskbell keys update KEY --self-rotation yes</code>.
        </p>
      ) : (
        <>
          <p>
            The key gets a new secret, with which this page goes on. Scopes, limits, expiry and
            endpoints stay.
          </p>
          <SelectField
            label="The old secret works for"
            value={overlap}
            options={OVERLAPS}
            onChoose={setOverlap}
          />
          <Confirm
            label="Rotate the key"
            question="A new secret replaces the one in use. The business is told."
            confirm="Rotate"
            isBusy={rotation.isBusy}
            onConfirm={() => void rotation.start()}
          />
        </>
      )}
      <ProblemNote error={rotation.error} />
      {secret !== undefined && <SecretOnce label="The new API key." secret={secret} />}
    </section>
  );
}
