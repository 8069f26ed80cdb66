/** @jsxImportSource preact */
import { now } from "../../../../pages/browser/clock.ts";
import { useLoaded } from "../../../../pages/browser/work.ts";
import { OutsideText } from "../../../../pages/outside-text.tsx";
import { ProblemNote } from "../parts.tsx";
import { hasScope, useSession } from "../session.ts";
import type { Endpoint } from "../types.ts";
import { describeEndpoint } from "../words.ts";

/** Shows which endpoints get no events, and why; nothing if all work. */
export function EndpointTroubles() {
  const { client, key } = useSession();
  const mayRead = hasScope(key, "webhooks.read") && key.limits.endpoints.used > 0;
  const endpoints = useLoaded<Endpoint[]>(
    async () => (mayRead ? (await client.listEndpoints()).data : []),
    [client, key],
  );
  return (
    <>
      <ProblemNote error={endpoints.error} />
      <TroubleNotes endpoints={endpoints.value ?? []} />
    </>
  );
}

/** The endpoints that do not work, with a link to the section that explains and repairs them. */
export const TroubleNotes = ({ endpoints }: { endpoints: readonly Endpoint[] }) =>
  endpoints
    .filter(({ state }) => state.code !== "WORKING")
    .map((endpoint) => {
      const { tone, text } = describeEndpoint(endpoint, now());
      return (
        <p key={endpoint.id} class={`note ${tone}`}>
          <strong>
            <OutsideText text={endpoint.name} />
          </strong>
          : <OutsideText text={text} />. <a href="#endpoints">Find out why, and repair it</a>
        </p>
      );
    });
