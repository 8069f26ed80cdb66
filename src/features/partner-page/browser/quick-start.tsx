/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { useAction } from "../../../pages/browser/work.ts";
import { TestOutcome, type TestResult } from "./endpoints/endpoint-test.tsx";
import { DocsLink } from "./docs-link.tsx";
import { ProblemNote, SecretOnce, TextField } from "./parts.tsx";
import { canWrite, eventTypesOf, requestSecret, useSession } from "./session.ts";
import type { Endpoint } from "./types.ts";

/** Leads a key without endpoints to its first verified delivery, in three steps. */
export function QuickStart() {
  const session = useSession();
  const { client, key, secrets, shownSecrets, reload } = session;
  // `isNew` keeps its first value, so that the steps stay after the first step has created an
  // endpoint.
  const [isNew] = useState(key.limits.endpoints.used === 0 && canWrite(key));
  const [url, setUrl] = useState("https://");
  const [endpoint, setEndpoint] = useState<Endpoint & { secret: string }>();
  const [result, setResult] = useState<TestResult>();
  const creating = useAction(async () => {
    const events = eventTypesOf(session) as Endpoint["events"];
    const body = { name: "My receiver", url, events };
    const { data } = await requestSecret(session, client.createEndpoint, { body });
    // The page signs with `secrets`, and shows `shownSecrets`.
    secrets.set(data.id, data.secret);
    shownSecrets.set(data.id, data.secret);
    setEndpoint(data);
    await reload();
  });
  const testing = useAction(async (id: string) => {
    setResult(undefined);
    setResult((await client.testEndpoint({ id })).data);
  });
  if (!isNew) return null;
  const create = (event: Event) => {
    event.preventDefault();
    void creating.start();
  };
  return (
    <section class="card" aria-labelledby="quick-start">
      <h3 id="quick-start">Quick start: your first verified delivery</h3>
      <ol class="steps">
        <li aria-current={endpoint === undefined ? "step" : undefined}>
          <form onSubmit={create} autocomplete="off">
            <TextField
              label="Where is your receiver?"
              hint="An https URL on the internet that takes POST requests; your own machine has one through a tunnel. The documentation has receivers to copy for TypeScript, Node, Python, PHP, Go and Ruby."
              type="url"
              value={url}
              onWrite={setUrl}
            />
            <div class="actions">
              <button
                type="submit"
                class="primary"
                disabled={creating.isBusy || endpoint !== undefined}
              >
                Create the endpoint
              </button>
              <DocsLink class="button" section="verifying-signatures">
                Receivers to copy
              </DocsLink>
            </div>
            <ProblemNote error={creating.error} />
          </form>
        </li>
        <li aria-current={endpoint !== undefined && result?.ok !== true ? "step" : undefined}>
          <p>Give your receiver the signing secret, with which it verifies each request.</p>
          {endpoint !== undefined && (
            <SecretOnce label="The signing secret." secret={endpoint.secret} />
          )}
        </li>
        <li>
          <p>Send a signed test event.</p>
          <button
            type="button"
            class={endpoint === undefined ? "" : "primary"}
            disabled={endpoint === undefined || testing.isBusy}
            onClick={() => void testing.start(endpoint?.id ?? "")}
          >
            {testing.isBusy ? "Sending…" : "Send a test event"}
          </button>
          <ProblemNote error={testing.error} />
          {endpoint !== undefined && result !== undefined && (
            <TestOutcome endpointId={endpoint.id} result={result} />
          )}
          {result?.ok === true && (
            <p>
              <strong>Done.</strong> From now on, each event that the key may receive is sent to
              your receiver: see <a href="#deliveries">Deliveries</a>. Make sure that it refuses a
              request with a wrong signature.
            </p>
          )}
        </li>
      </ol>
    </section>
  );
}
