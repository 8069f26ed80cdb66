/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { fillText } from "../../../pages/languages.ts";
import type { BookingShop, Offer, ServiceDetails } from "../show/read-offer.ts";
import type { Choice } from "../rules.ts";
import { writeTotalOfTime } from "../total.ts";
import { Fact, Outside, VisitTime } from "./parts.tsx";

type SummaryProps = BookingShop & {
  choice: Choice;
  details: ServiceDetails | undefined;
  offer: Offer;
  /** The chosen time; null before one is chosen. */
  at: number | null;
  /** When the visit ends; null if the page does not say. */
  until: number | null;
  totalCents: number | null;
  changeUrl: string;
};

/** What a guest has chosen so far. */
export const Summary = (props: SummaryProps) => {
  const { texts, details, at, until, totalCents, changeUrl } = props;
  const total = writeTotalOfTime(props, details?.service.priceType ?? "FIXED", totalCents);
  return (
    <div class="card summary">
      <dl>
        <What {...props} />
        {at !== null && (
          <Fact about={texts.when}>
            <VisitTime {...props} at={at} until={until} />
          </Fact>
        )}
        {total !== null && (
          <Fact about={texts.total}>
            <strong class="price">{total}</strong>
          </Fact>
        )}
      </dl>
      <a href={changeUrl}>{texts.change}</a>
    </div>
  );
};

const What = ({ shop, texts, choice, details, offer }: SummaryProps) => {
  if (choice.kind === "table") {
    const area = offer.areas.find(({ id }) => id === choice.areaId);
    return (
      <>
        <Fact about={texts.what}>{fillText(texts.tableFor, { count: choice.partySize })}</Fact>
        {area !== undefined && (
          <Fact about={texts.where}>
            <Outside shop={shop} text={area.name} />
          </Fact>
        )}
      </>
    );
  }
  if (details === undefined) return null;
  const { service, staff } = details;
  const variant = service.variants.find(({ id }) => id === choice.variantId);
  const addons = choice.addons.flatMap(({ addonId, quantity }) => {
    const link = service.addonLinks.find(({ addon }) => addon.id === addonId);
    return link === undefined ? [] : [{ name: link.addon.name, quantity }];
  });
  const person = staff.find(({ id }) => id === choice.staffId)?.name;
  const lines: ComponentChildren[] = [
    <Outside shop={shop} text={variant ? `${service.name}, ${variant.name}` : service.name} />,
    ...addons.map(({ name, quantity }) => (
      <span class="faint">
        + <Outside shop={shop} text={quantity > 1 ? `${quantity} × ${name}` : name} />
      </span>
    )),
  ];
  return (
    <>
      <Fact about={texts.what}>
        {lines.map((line) => (
          <span class="line">{line}</span>
        ))}
      </Fact>
      {staff.length > 0 && (
        <Fact about={texts.who}>
          {person === undefined ? texts.anyone : <Outside shop={shop} text={person} />}
        </Fact>
      )}
      {choice.guests > 1 && <Fact about={texts.people}>{choice.guests}</Fact>}
    </>
  );
};
