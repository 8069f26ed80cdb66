/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { CallButton } from "../../../pages/call-button.tsx";
import { fillText } from "../../../pages/languages.ts";
import { Frame, Outside } from "../../public-pages/view/frame.tsx";
import type { BookingShop } from "../show/read-offer.ts";
import { writeDateTime, writeEnd } from "../when.ts";

type FrameProps = BookingShop & { url: string; children: ComponentChildren };

/** What every booking page has around its content. */
export const BookingFrame = ({ shop, url, isEmbedded, children }: FrameProps) => (
  <Frame shop={shop} current="" url={url} isEmbedded={isEmbedded}>
    <div class="booking">{children}</div>
  </Frame>
);

/** The telephone number of the business, if it has one. */
export const Telephone = ({ shop, texts }: BookingShop) => {
  const { phone, name } = shop.profile;
  return phone === null ? null : (
    <p>
      <CallButton label={fillText(texts.call, { business: name })} phone={phone} />
    </p>
  );
};

type KeepLinkProps = BookingShop & {
  path: string;
  /** What others can do who have the URL; null if they can only see the page. */
  risk: "linkChanges" | "linkHasTickets" | null;
};

/** Tells the guest to keep the URL of the page, which a frame does not show. */
export const KeepLink = ({ texts, isEmbedded, path, risk }: KeepLinkProps) => (
  <p class="note">
    {isEmbedded ? (
      <>
        <a href={path} target="_blank">
          {texts.openLink}
        </a>{" "}
        {texts.keepOpened}
      </>
    ) : (
      texts.keepLink
    )}
    {risk !== null && ` ${texts[risk]}`}
  </p>
);

type FactProps = { about: string; children: ComponentChildren };

export const Fact = ({ about, children }: FactProps) => (
  <div>
    <dt>{about}</dt>
    <dd>{children}</dd>
  </div>
);

type VisitTimeProps = BookingShop & { at: number; until: number | null };

/** The time of a visit. A script adds the reader's own time below it where it differs. */
export const VisitTime = ({ shop, business, at, until }: VisitTimeProps) => (
  <span>
    <time dateTime={new Date(at).toISOString()} data-zone={business.doc.timezone}>
      {writeDateTime(shop, business.doc.timezone, at)}
    </time>
    {until !== null && ` – ${writeEnd(shop, business.doc.timezone, at, until)}`}
  </span>
);

export const Heading = ({ children }: { children: ComponentChildren }) => (
  <h1 tabIndex={-1}>{children}</h1>
);

/** A message about what has just happened, which screen readers say. */
export const Notice = ({ kind, children }: { kind: string; children: ComponentChildren }) => (
  <p class={`note ${kind}`} role={kind === "bad" ? "alert" : "status"}>
    {children}
  </p>
);

export const Hidden = ({ fields }: { fields: readonly (readonly [string, string])[] }) => (
  <>
    {fields.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

export { Outside };
