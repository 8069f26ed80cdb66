/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { Choice } from "../rules.ts";
import type { DeskTexts } from "./texts.ts";

/** What only a script knows. */
export type Live = {
  isOffline?: boolean;
  isBusy?: boolean;
  onSubmit?: (event: SubmitEvent) => void;
};

/** All that forms need of the page. */
export type Page = Live & { texts: DeskTexts; path: string; formKey: string };

type FormProps = {
  page: Page;
  action: string;
  /** Fields that are not shown. */
  fields?: Readonly<Record<string, string>>;
  button: string;
  /** Said to screen readers after the text of the button, because many buttons have that text. */
  about?: string;
  children?: ComponentChildren;
};

export function Form({ page, action, fields = {}, button, about, children }: FormProps) {
  return (
    <form method="post" action={page.path} onSubmit={page.onSubmit}>
      <input type="hidden" name="action" value={action} />
      <input type="hidden" name="key" value={page.formKey} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" disabled={page.isOffline === true || page.isBusy === true}>
        {button}
        {about !== undefined && <span class="visually-hidden"> {about}</span>}
      </button>
    </form>
  );
}

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <details>
        <summary>
          <h2>{title}</h2>
        </summary>
        <div class="details">{children}</div>
      </details>
    </section>
  );
}

export const Options = ({ choices }: { choices: readonly Choice[] }) => (
  <>
    {choices.map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </>
);
