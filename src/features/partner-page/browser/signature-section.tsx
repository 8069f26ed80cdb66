/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { DeskbellError } from "../../../client/index.ts";
import { now } from "../../../pages/browser/clock.ts";
import { useAction, useLoaded } from "../../../pages/browser/work.ts";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { SelectField, ProblemNote, TextField } from "./parts.tsx";
import { hasScope, useSession } from "./session.ts";
import type { Endpoint } from "./types.ts";
import { checkSignature, eventIdOf, type Finding, SECRET } from "./signature.ts";

/** Section 5: says what is wrong with a signed request. Secret and body stay in the page. */
export function SignatureSection() {
  const { client, key, secrets, refused } = useSession();
  const mayRead = hasScope(key, "webhooks.read");
  const endpoints = useLoaded<Endpoint[]>(
    async () => (mayRead ? (await client.listEndpoints()).data : []),
    [client],
  );
  // The refused request is filled in once: later visits of the reader find the section empty.
  const [refusedRequest] = useState(refused.current);
  refused.current = null;
  const [body, setBody] = useState(refusedRequest?.body ?? "");
  const [headers, setHeaders] = useState(refusedRequest?.headers ?? "");
  const [endpointId, setEndpointId] = useState(refusedRequest?.endpointId ?? "");
  const [secret, setSecret] = useState("");
  const [findings, setFindings] = useState<Finding[]>();
  const chooseEndpoint = (id: string) => {
    setEndpointId(id);
    setSecret(secrets.get(id) ?? "");
  };
  const writeSecret = (text: string) => {
    setSecret(text);
    if (endpointId !== "" && SECRET.test(text.trim())) secrets.set(endpointId, text.trim());
  };
  const checking = useAction(async () => {
    setFindings(undefined);
    const { original, serverMs } = await findOriginal();
    const nowMs = now();
    setFindings(await checkSignature({ body, headers, secret, original, nowMs, serverMs }));
  });
  /** Returns the event that the body names, as the feed has it, and the server's time. */
  const findOriginal = async (): Promise<{ original: string | null; serverMs: number | null }> => {
    const id = eventIdOf(body);
    if (id === undefined || !mayRead) return { original: null, serverMs: null };
    try {
      const { data, headers } = await client.getChange({ id });
      const serverMs = Date.parse(headers.get("date") ?? "");
      // A missing date is NaN.
      return { original: JSON.stringify(data), serverMs: serverMs || null };
    } catch (error) {
      // Test events are not in the feed, and older events are no longer kept.
      if (error instanceof DeskbellError && error.status === 404)
        return { original: null, serverMs: null };
      throw error;
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void checking.start();
  };
  return (
    <form onSubmit={submit} autocomplete="off">
      <p>
        {refusedRequest === null
          ? "Paste a request as your receiver got it."
          : "The test event that your receiver refused is filled in: paste the secret that the receiver uses. If the secret turns out to be right, the receiver changes the body before it verifies it, or its clock is wrong."}{" "}
        The secret and the body are not sent anywhere; only the ID of the event is, to compare the
        body with the one that was sent.
      </p>
      <TextField label="Raw body" type="area" value={body} onWrite={setBody} />
      <TextField
        label="X-Service-Signature"
        hint="Or all headers of the request."
        type="area"
        value={headers}
        onWrite={setHeaders}
      />
      <SelectField
        label="Endpoint"
        value={endpointId}
        options={[
          ["", "another, or not known"],
          ...(endpoints.value ?? []).map(({ id, name }) => [id, name] as const),
        ]}
        onChoose={chooseEndpoint}
      />
      <TextField
        label="Signing secret"
        hint="It begins with whsec_, and is used in this page only. If an endpoint is chosen, curl commands for its deliveries are signed with it until you leave."
        value={secret}
        onWrite={writeSecret}
        isSecret
      />
      <button type="submit" class="primary" disabled={checking.isBusy}>
        Check
      </button>
      <ProblemNote error={endpoints.error ?? checking.error} />
      <div role="status">
        {findings?.map(({ isGood, text }) => (
          <p key={text} class={`note ${isGood ? "good" : "bad"}`}>
            <strong>{isGood ? "Right." : "Wrong."}</strong> <OutsideText text={text} />
          </p>
        ))}
      </div>
    </form>
  );
}
