/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { DeskbellError } from "../../../client/index.ts";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { formatTime } from "./words.ts";

/** A time in a zone (the reader's by default), with the time in UTC as a tooltip. */
export const Time = ({ at, zone }: { at: string; zone?: string | undefined }) => (
  <time dateTime={at} title={new Date(at).toISOString()}>
    {formatTime(at, zone)}
  </time>
);

/** An error of the API with its fix, and the ID by which the business finds it in its log. */
export function ProblemNote({ error }: { error: unknown }) {
  if (error === undefined) return null;
  if (!(error instanceof DeskbellError))
    return (
      <div class="note bad" role="alert">
        <p>The page itself failed: {String(error)}. Reload it, and paste the key again.</p>
      </div>
    );
  // If a problem has a single issue, its `detail` equals the text of the issue, which is then shown
  // only once.
  const issues = (error.problem?.errors ?? []).filter(({ detail }) => detail !== error.detail);
  return (
    <div class="note bad" role="alert">
      <p>
        <OutsideText text={error.detail} />{" "}
        {error.fix !== undefined && <OutsideText text={error.fix} />}
      </p>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ detail }) => (
            <li key={detail}>
              <OutsideText text={detail} />
            </li>
          ))}
        </ul>
      )}
      <p class="faint">
        Code <code>{error.code}</code>
        {error.requestId !== undefined && (
          <>
            , request <code>{error.requestId}</code>
          </>
        )}
      </p>
    </div>
  );
}

/** A button that copies a text, and says whether it did. */
export function CopyButton({
  text,
  children,
}: {
  text: () => string | Promise<string>;
  children: ComponentChildren;
}) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setSaid("Copied.");
    } catch {
      setSaid("The browser did not allow it: select the text and copy it.");
    }
  };
  return (
    <>
      <button type="button" onClick={copy}>
        {children}
      </button>
      <span role="status">{said}</span>
    </>
  );
}

/** A secret that is shown once, to be copied. */
export const SecretOnce = ({ label, secret }: { label: string; secret: string }) => (
  <div class="note warn" role="status">
    <p>
      <strong>{label}</strong> Store it now: it is shown only once, and this page forgets it when
      you leave.
    </p>
    <pre tabIndex={0} aria-label={label}>
      <code>{secret}</code>
    </pre>
    <div class="actions">
      <CopyButton text={() => secret}>Copy</CopyButton>
    </div>
  </div>
);

/** A text from outside, shown with its own lines and spaces. */
export const Lines = ({ label, text }: { label: string; text: string }) => (
  <pre tabIndex={0} role="region" aria-label={label} dir="ltr">
    <code>
      <OutsideText text={text} />
    </code>
  </pre>
);

type FieldProps = {
  label: string;
  hint?: string;
  children: (ids: { id: string; "aria-describedby"?: string }) => ComponentChildren;
};

export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children(hint === undefined ? { id } : { id, "aria-describedby": `${id}-hint` })}
    </div>
  );
}

type SelectFieldProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChoose: (value: string) => void;
};

export const SelectField = ({ label, value, options, onChoose }: SelectFieldProps) => (
  <Field label={label}>
    {(ids) => (
      <select {...ids} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

type TextFieldProps = {
  label: string;
  hint?: string;
  value: string;
  onWrite: (value: string) => void;
  type?: "text" | "url" | "datetime-local" | "area";
  /** Whether the text is a secret, which the screen shows as dots. */
  isSecret?: boolean;
  /** Whether the browser asks for a value before it sends the form. */
  isRequired?: boolean;
};

/** A field for text. The browser does not correct it, send it to a spelling service, or keep it. */
export const TextField = ({
  label,
  hint,
  value,
  onWrite,
  type = "text",
  isSecret,
  isRequired,
}: TextFieldProps) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(ids) => {
      const shared = {
        ...ids,
        value,
        required: isRequired === true,
        class: isSecret === true ? "secret" : "",
        autocomplete: "off",
        autocapitalize: "none",
        spellcheck: false,
        onInput: (event: { currentTarget: { value: string } }) =>
          onWrite(event.currentTarget.value),
      } as const;
      if (type === "area") return <textarea {...shared} />;
      if (type === "datetime-local") return <input {...shared} type="datetime-local" />;
      return type === "url" ? <input {...shared} type="url" /> : <input {...shared} />;
    }}
  </Field>
);

type ConfirmProps = {
  /** The label of the button that leads to the question. */
  label: string;
  question: ComponentChildren;
  /** The label of the button that confirms. */
  confirm: string;
  isBusy: boolean;
  onConfirm: () => void;
};

/** A button that asks before it does something that cannot be undone. */
export function Confirm({ label, question, confirm, isBusy, onConfirm }: ConfirmProps) {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <button type="button" class="danger" disabled={isBusy} onClick={() => setIsAsking(true)}>
        {label}
      </button>
    );
  const answer = (isConfirmed: boolean) => () => {
    setIsAsking(false);
    if (isConfirmed) onConfirm();
  };
  return (
    <div class="note warn" role="group" aria-label={label}>
      <p>{question}</p>
      <div class="actions">
        <button type="button" class="danger" onClick={answer(true)}>
          {confirm}
        </button>
        <button type="button" ref={(button) => button?.focus()} onClick={answer(false)}>
          Keep
        </button>
      </div>
    </div>
  );
}
