/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PriceType } from "../../../domain/catalog/price-type.ts";
import { fillText } from "../../../pages/languages.ts";
import type { FreeTime } from "../show/find-times.ts";
import type { BookingShop } from "../show/read-offer.ts";
import type { FormErrors, GuestForm } from "../rules.ts";
import { writeTotalOfTime } from "../total.ts";
import { writeShortDateTime, writeTime } from "../when.ts";
import { Heading, Hidden, Notice } from "./parts.tsx";

export type DetailsProps = BookingShop & {
  summary: ComponentChildren;
  form: GuestForm;
  errors: FormErrors;
  /** The start of the visit or event. */
  at: number;
  totalCents: number | null;
  /** How exact the total is; exact by default. */
  priceType?: PriceType;
  /** When the guest's hold ends; null if the time is not held. */
  heldUntil: number | null;
  /** The nearest free times, if others have taken the chosen time meanwhile; null otherwise. */
  nearest: readonly FreeTime[] | null;
  hasNewPrice: boolean;
  /** Whether the business must approve the visit before it is confirmed. */
  isRequest?: boolean;
  /** The text of the button, and a note on what happens next; by default the texts for a visit. */
  submit?: { text: string; note: string };
  /** The URL of the step before, with the times or tickets to choose from. */
  timesUrl: string;
  /** The URL to which the form is sent. */
  action: string;
  /** A random text that only this copy of the form has (see `SentForm`). */
  nonce: string;
};

/** The last step: the guest's name and other details. */
export const Details = (props: DetailsProps) => {
  const { shop, business, texts, summary, nearest, hasNewPrice, heldUntil } = props;
  const { totalCents, at, timesUrl, action, nonce, isRequest = false, priceType = "FIXED" } = props;
  const { timezone } = business.doc;
  const submitVisit = isRequest
    ? {
        text: texts.submitRequest,
        note: fillText(texts.requestNote, { business: shop.profile.name }),
      }
    : { text: texts.submitConfirm, note: "" };
  const submit = props.submit ?? submitVisit;
  const { privacyUrl } = shop.profile.legal;
  const canSubmit = nearest === null || nearest.length > 0;
  return (
    <>
      <Heading>{texts.details}</Heading>
      {nearest !== null && (
        <Notice kind="bad">{nearest.length > 0 ? texts.lost : texts.taken}</Notice>
      )}
      {hasNewPrice && totalCents !== null && priceType !== "ON_REQUEST" && (
        <Notice kind="warn">
          {fillText(texts.priceChanged, { price: shop.format.money(totalCents) })}
        </Notice>
      )}
      {summary}
      {heldUntil !== null && nearest === null && (
        <p class="faint">
          <HeldUntil {...props} at={heldUntil} />
        </p>
      )}
      <form method="post" action={action} class="details" data-once>
        <Hidden fields={[["nonce", nonce]]} />
        {nearest === null ? (
          <Hidden
            fields={[
              ["at", new Date(at).toISOString()],
              ...(totalCents === null ? [] : [["total", String(totalCents)] as const]),
            ]}
          />
        ) : (
          <fieldset class="options">
            <legend>{texts.nearest}</legend>
            {nearest.map((time, i) => (
              <label class="option">
                <input
                  type="radio"
                  name="at"
                  value={new Date(time.startsAt).toISOString()}
                  checked={i === 0}
                  required
                />
                <span>
                  {writeShortDateTime(shop, timezone, time.startsAt)}
                  <span class="price faint">
                    {writeTotalOfTime(props, priceType, time.totalCents)}
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        <Fields {...props} />
        {submit.note !== "" && <p>{submit.note}</p>}
        {canSubmit && (
          <button class="primary large" type="submit" data-busy={texts.sending}>
            {submit.text}
          </button>
        )}
        <p class="under">
          <a href={timesUrl}>{props.submit === undefined ? texts.anotherTime : texts.change}</a>
          {privacyUrl !== null && (
            <a href={privacyUrl} target="_blank" rel="noopener">
              {texts.privacy}
            </a>
          )}
        </p>
      </form>
    </>
  );
};

/**
 * A sentence that says when the hold ends. The time in the sentence is an element, so that a script
 * can add the reader's own time if it differs.
 */
const HeldUntil = ({ shop, business, texts, at }: BookingShop & { at: number }) => {
  const { timezone } = business.doc;
  const time = writeTime(shop, timezone, at);
  const [before = ""] = texts.heldUntil.split("{time}");
  const after = fillText(texts.heldUntil, { time }).slice(before.length + time.length);
  return (
    <>
      {before}
      <time dateTime={new Date(at).toISOString()} data-zone={timezone}>
        {time}
      </time>
      {after}
    </>
  );
};

const Fields = ({ texts, form, errors }: DetailsProps) => (
  <>
    <Field
      name="name"
      label={texts.name}
      value={form.name}
      autocomplete="name"
      isRequired
      error={errors.name && (errors.name === "needed" ? texts.needName : texts.invalid)}
    />
    <div class="pair">
      <Field
        name="email"
        type="email"
        label={texts.email}
        value={form.email}
        autocomplete="email"
        error={
          errors.email &&
          {
            needed: texts.needContact,
            invalid: texts.invalidEmail,
            "to confirm": texts.needEmail,
          }[errors.email]
        }
      />
      <Field
        name="phone"
        type="tel"
        label={texts.phone}
        value={form.phone}
        autocomplete="tel"
        {...(errors.email !== "to confirm" && { hint: texts.contactHint })}
        error={errors.phone && (errors.phone === "needed" ? texts.invalidPhone : texts.invalid)}
      />
    </div>
    <div class="field">
      <label for="notes">{texts.notes}</label>
      <textarea id="notes" name="notes" maxLength={2000} rows={3}>
        {form.notes}
      </textarea>
      {errors.notes && <p class="bad">{texts.invalid}</p>}
    </div>
  </>
);

type FieldProps = {
  name: string;
  label: string;
  value: string;
  autocomplete: string;
  type?: "text" | "email" | "tel";
  hint?: string;
  isRequired?: boolean;
  error?: string | undefined;
};

const Field = (props: FieldProps) => {
  const { name, label, value, autocomplete, type = "text", hint, isRequired, error } = props;
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type as "text"}
        value={value}
        autocomplete={autocomplete}
        maxLength={name === "email" ? 254 : name === "phone" ? 50 : 200}
        required={isRequired}
        aria-invalid={error === undefined ? undefined : "true"}
        aria-describedby={described || undefined}
      />
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="bad" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
};
