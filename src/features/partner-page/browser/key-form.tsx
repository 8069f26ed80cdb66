/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import { useAction } from "../../../pages/browser/work.ts";
import { ProblemNote, TextField } from "./parts.tsx";
import { readPastedKey } from "./pasted-key.ts";
import type { PageProps } from "./types.ts";

type KeyFormProps = { props: PageProps; onOpen: (key: string) => Promise<void> };

/** Asks for the key. A secret key is recognised here, before anything is sent. */
export function KeyForm({ props, onOpen }: KeyFormProps) {
  const [pasted, setPasted] = useState("");
  const [refusal, setRefusal] = useState<{ message: string; fix: string }>();
  const opening = useAction(onOpen);
  useEffect(() => {
    document.title = "Partner page · deskbell";
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const result = readPastedKey(pasted);
    setPasted("");
    setRefusal(result.isUsable ? undefined : result);
    if (result.isUsable) void opening.start(result.key);
  };
  return (
    <main>
      <h1 tabIndex={-1}>Partner page</h1>
      <p>
        See what your API key can do, test and repair its webhooks, and check signatures. Everything
        here is done through <a href={`${props.base}/docs`}>the published API</a>.
      </p>
      {isSecureContext ? (
        <form class="card" onSubmit={submit} autocomplete="off">
          <TextField
            label="API key"
            hint="A restricted key, which begins with deskbell_rk_. It stays in the memory of this page, and is gone when you leave or reload it."
            value={pasted}
            onWrite={setPasted}
            isSecret
          />
          <button type="submit" class="primary" disabled={opening.isBusy}>
            {opening.isBusy ? "Opening…" : "Open"}
          </button>
          {refusal !== undefined && (
            <div class="note bad" role="alert">
              <p>{refusal.message}</p>
              <p>{refusal.fix}</p>
            </div>
          )}
          <ProblemNote error={opening.error} />
        </form>
      ) : (
        <p class="note bad">
          This page needs https: over http, anyone on the way could read the key. Ask the business
          for the https address of the server.
        </p>
      )}
    </main>
  );
}
