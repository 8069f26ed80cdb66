/** @jsxImportSource preact */
import { telUrl } from "../../../pages/call-button.tsx";
import { fillText } from "../../../pages/languages.ts";
import type { VisitStatus } from "../../../domain/bookings/visit.ts";
import { addressLines } from "../../public-pages/content/address.ts";
import { mapUrlOfBusiness } from "../../public-pages/view/contact.tsx";
import type { BookingShop } from "../show/read-offer.ts";
import { writeTotal } from "../total.ts";
import { describeElsewhere, type VisitContent, type VisitView } from "../show/visit-view.ts";
import { writeShortDateTime } from "../when.ts";
import { Fact, Heading, KeepLink, Notice, Outside, Telephone, VisitTime } from "./parts.tsx";

/** What happened to a change: `moveByPhone` if the page does not take the new time. */
type Message = "moved" | "changeClosed" | "cannotMove" | "moveByPhone";

type VisitProps = BookingShop & {
  view: VisitView;
  /** The URL of the visit without its query. */
  path: string;
  keptQuery: string;
  /** The URL of the booking page. */
  bookUrl: string;
  message: Message | null;
};

const TITLES = {
  PENDING: "pending",
  CONFIRMED: "confirmed",
  CANCELLED: "cancelled",
  COMPLETED: "completed",
  NO_SHOW: "noShow",
} as const;

const BADGES: Partial<Record<VisitStatus, string>> = { PENDING: "warn", CONFIRMED: "good" };

export const VisitPage = (props: VisitProps) => {
  const { shop, business, texts, view, path, keptQuery, bookUrl, message } = props;
  const { status, canChange, cancelUntil } = view;
  const { timezone, publicPage } = business.doc;
  const isOpen = status === "PENDING" || status === "CONFIRMED";
  return (
    <>
      <p class={`badge ${BADGES[status] ?? "faint"}`} aria-hidden="true">
        {status === "CONFIRMED" ? "✓" : status === "PENDING" ? "…" : "–"}
      </p>
      <Heading>{texts[TITLES[status]]}</Heading>
      {message !== null && (
        <Notice kind={message === "moved" ? "good" : "warn"}>{textOf(props, message)}</Notice>
      )}
      <p>{describeState(props)}</p>
      <Facts {...props} />
      {isOpen && (
        <>
          <div class="actions">
            <a class="button" href={`${path}/visit.ics`} download="visit.ics">
              {texts.addToCalendar}
            </a>
            {canChange && (
              <a class="button" href={`${path}?move=1${keptQuery && `&${keptQuery}`}`}>
                {texts.move}
              </a>
            )}
          </div>
          {canChange ? (
            <>
              <details class="cancel">
                <summary>{texts.cancel}</summary>
                <p>{texts.cancelSure}</p>
                <form
                  method="post"
                  action={`${path}/cancel${keptQuery && `?${keptQuery}`}`}
                  data-once
                >
                  <button class="danger" type="submit" data-busy={texts.sending}>
                    {texts.cancelYes}
                  </button>
                </form>
              </details>
              <p class="faint">
                {fillText(texts.changeUntil, {
                  time: writeShortDateTime(shop, timezone, cancelUntil),
                })}
              </p>
            </>
          ) : (
            <p>{texts.changeClosed}</p>
          )}
          <KeepLink {...props} risk={canChange ? "linkChanges" : null} />
        </>
      )}
      {!isOpen && publicPage.enabled && publicPage.booking !== "OFF" && (
        <p>
          <a class="button primary" href={bookUrl}>
            {texts.bookAgain}
          </a>
        </p>
      )}
      {isOpen && (!canChange || message === "cannotMove" || message === "moveByPhone") && (
        <Telephone {...props} />
      )}
    </>
  );
};

function textOf({ shop, texts }: VisitProps, message: Message): string {
  if (message !== "moveByPhone") return texts[message];
  const isRefused = shop.profile.phone === null ? texts.timeNotTaken : texts.callForTime;
  return `${texts.keepsTime} ${isRefused}`;
}

function describeState({ shop, business, texts, view }: VisitProps): string {
  const names = { business: shop.profile.name };
  const { status, decideBy, isDeclined } = view;
  if (status === "PENDING" && decideBy !== null) {
    const time = writeShortDateTime(shop, business.doc.timezone, decideBy);
    return fillText(texts.pendingText, { ...names, time });
  }
  if (status === "CONFIRMED") return fillText(texts.confirmedText, names);
  return isDeclined ? fillText(texts.declinedText, names) : "";
}

type FactsProps = BookingShop & { view: VisitContent & { startsAt: number; endsAt: number } };

/** The facts about a visit or hold: what, when and where it is, and its price. */
export const Facts = (props: FactsProps) => {
  const { shop, business, texts, view, isEmbedded } = props;
  const { services, staff, guests, area, location } = view;
  const elsewhere = describeElsewhere(shop.texts, location);
  const lines = elsewhere === null ? addressLines(business.doc) : [];
  const total = view.total && writeTotal(texts, shop.format, view.total);
  const { phone } = business.doc;
  return (
    <div class="card summary">
      <dl>
        <Fact about={texts.when}>
          <VisitTime {...props} at={view.startsAt} until={services === null ? null : view.endsAt} />
        </Fact>
        <Fact about={texts.what}>
          {services === null
            ? fillText(texts.tableFor, { count: guests })
            : services.map((service) => (
                <span class="line">
                  <Outside shop={shop} text={service} />
                </span>
              ))}
        </Fact>
        {staff.length > 0 && (
          <Fact about={texts.who}>
            <Outside shop={shop} text={shop.format.list(staff)} />
          </Fact>
        )}
        {services !== null && guests > 1 && <Fact about={texts.people}>{guests}</Fact>}
        {total !== null && <Fact about={texts.total}>{total}</Fact>}
        <Fact about={texts.where}>
          <span class="line">
            {elsewhere ?? <Outside shop={shop} text={area ?? shop.profile.name} />}
          </span>
          {lines.map((line) => (
            <span class="line faint">
              <Outside shop={shop} text={line} />
            </span>
          ))}
          {lines.length > 0 && (
            <span class="line">
              <a
                href={mapUrlOfBusiness(shop, lines)}
                rel="noreferrer"
                target={isEmbedded ? "_blank" : undefined}
              >
                {shop.texts.map}
              </a>
            </span>
          )}
          {phone !== null && (
            <span class="line">
              <a href={telUrl(phone)}>{phone}</a>
            </span>
          )}
        </Fact>
      </dl>
    </div>
  );
};
