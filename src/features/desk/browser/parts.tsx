/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { fillText, type PageLanguage } from "../../../pages/languages.ts";
import type { Choice } from "../rules.ts";
import type { DeskTexts } from "./texts.ts";
import type { Times } from "./times.ts";

/** The state of a page that runs its script. */
export type Live = {
  /** Whether the view may be old. */
  isStale: boolean;
  isConnected: boolean;
  /** How old the view is, in words. */
  age: string;
  isBusy: boolean;
  /** Whether all buttons that change something are disabled. */
  isLocked: boolean;
  /** The answers to the question whether an action is sent again; null if nothing is asked. */
  question: { sendAgain: () => void; drop: () => void } | null;
  /** The part of the page that checks tickets in by camera. */
  camera: ComponentChildren;
  onSubmit: (event: SubmitEvent) => void;
};

/** What all parts of the page need. */
export type Page = {
  /** Undefined on a page without a script. */
  live: Live | undefined;
  texts: DeskTexts;
  language: PageLanguage;
  times: Times;
  path: string;
  formKey: string;
  /** The current date in the time zone of the business. */
  today: string;
};

/** Returns a date as people say it, such as "today" or "Sat 5 Dec". */
export function dayText({ texts, times, today }: Page, local: string): string {
  const date = local.slice(0, 10);
  if (date === today) return texts.today;
  return date === dayAfter(today) ? texts.tomorrow : times.day(date, today);
}

const DAY_MS = 86_400_000;
const dayAfter = (date: string): string =>
  new Date(Date.parse(`${date}T00:00Z`) + DAY_MS).toISOString().slice(0, 10);

/** Returns a day and a time as people say them, such as "today, 14:30". */
export const momentText = (page: Page, local: string): string =>
  `${dayText(page, local)}, ${page.times.time(local)}`;

/** Returns a time off in words: a whole day, the rest of one, or a range. */
export function rangeText(page: Page, from: string, to: string): string {
  const { texts, times } = page;
  const isToMidnight = to === `${dayAfter(from.slice(0, 10))}T00:00`;
  if (!isToMidnight) return `${momentText(page, from)} – ${momentText(page, to)}`;
  const day = dayText(page, from);
  return from.endsWith("T00:00") ? day : fillText(texts.restOf, { day, time: times.time(from) });
}

type FormProps = {
  page: Page;
  action: string;
  /** Fields that are not shown. */
  fields?: Readonly<Record<string, string>>;
  button: string;
  /**
   * The text that screen readers say after the button's text, because several buttons may have the
   * same text.
   */
  about?: string | undefined;
  /** The class of the button. */
  look?: "primary" | "danger" | undefined;
  children?: ComponentChildren;
};

export function Form({ page, action, fields = {}, button, about, look, children }: FormProps) {
  return (
    <form method="post" action={page.path} onSubmit={page.live?.onSubmit}>
      <input type="hidden" name="action" value={action} />
      <input type="hidden" name="key" value={page.formKey} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" class={look} disabled={page.live?.isLocked === true}>
        {button}
        {about !== undefined && <span class="visually-hidden"> {about}</span>}
      </button>
    </form>
  );
}

type SectionProps = { id: string; title: string; children: ComponentChildren };

/** A part of the page that is closed at first. A link to its ID opens it. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section>
      <details>
        <summary>
          <h2>{title}</h2>
        </summary>
        <div class="details" id={id}>
          {children}
        </div>
      </details>
    </section>
  );
}

export const Options = ({ choices }: { choices: readonly Choice[] }) => (
  <>
    {choices.map(({ id, name, facts }) => (
      <option key={id} value={id}>
        {facts ? `${name} · ${facts}` : name}
      </option>
    ))}
  </>
);
