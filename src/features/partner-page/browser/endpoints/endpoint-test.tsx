/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import type { Schemas } from "../../../../client/index.ts";
import { useAction } from "../../../../pages/browser/work.ts";
import { OutsideText } from "../../../../pages/outside-text.tsx";
import { SelectField, Lines, ProblemNote } from "../parts.tsx";
import { eventTypesOf, useSession } from "../session.ts";
import type { Endpoint } from "../types.ts";
import { isRefusal } from "../words.ts";

export type TestResult = Schemas["EndpointTestResponse"]["data"];

type EndpointTestProps = { endpoint: Endpoint; onTested: (endpoint: Endpoint) => void };

/** Sends a signed test event of a chosen type, and shows what the receiver responded. */
export function EndpointTest({ endpoint, onTested }: EndpointTestProps) {
  const session = useSession();
  const { client } = session;
  const { id, events } = endpoint;
  const unsubscribed = eventTypesOf(session).filter((type) => !(events as string[]).includes(type));
  const types = [...events, ...unsubscribed] as Endpoint["events"];
  const [type, setType] = useState<string>(types[0] ?? "");
  const [result, setResult] = useState<TestResult>();
  const testing = useAction(async () => {
    setResult(undefined);
    const eventType = types.find((each) => each === type);
    const { data } = await client.testEndpoint({
      id,
      body: eventType === undefined ? {} : { eventType },
    });
    setResult(data);
    // The endpoint is read again, because an accepted test ends a backoff.
    onTested((await client.getEndpoint({ id })).data);
  });
  return (
    <>
      <div class="row">
        <SelectField
          label="Test event"
          value={type}
          options={types.map((each) => [each, each])}
          onChoose={setType}
        />
        <button type="button" disabled={testing.isBusy} onClick={() => void testing.start()}>
          {testing.isBusy ? "Sending…" : "Send a test event"}
        </button>
      </div>
      <ProblemNote error={testing.error} />
      {result !== undefined && <TestOutcome endpointId={id} result={result} />}
    </>
  );
}

/** What a test has shown, and the request that was sent. */
export function TestOutcome({ endpointId, result }: { endpointId: string; result: TestResult }) {
  const { refused } = useSession();
  const headers = headerLines(result.headers);
  return (
    <div class={`note ${result.ok ? "good" : "bad"}`} role="status">
      <p>
        <strong>
          {result.ok ? "Accepted" : "Not accepted"}
          {result.statusCode !== null && `: HTTP ${result.statusCode}`}
        </strong>
        {result.statusCode === null ? ". " : ` in ${Math.round(result.durationMs)} ms.`}
        {result.statusCode === null && result.error !== null && <OutsideText text={result.error} />}
      </p>
      {isRefusal(result.statusCode) && (
        <p>
          The receiver refuses the request. If it verifies the signature, it probably has another
          secret:{" "}
          <a
            href="#signature"
            onClick={() => (refused.current = { endpointId, headers, body: result.body })}
          >
            try its secret with this request
          </a>
          .
        </p>
      )}
      {result.responseText !== null && result.responseText !== "" && (
        <Lines label="Response" text={result.responseText} />
      )}
      <details>
        <summary>The request that was sent</summary>
        <Lines label="Headers" text={headers} />
        <Lines label="Body" text={result.body} />
      </details>
    </div>
  );
}

export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
