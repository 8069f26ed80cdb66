/** @jsxImportSource preact */
import type { PublicService } from "../../../domain/public/service.ts";
import { priceText } from "../../public-pages/view/services.tsx";
import type { BookingShop, Offer, ServiceDetails } from "../show/read-offer.ts";
import { addonField, ANYONE, MAX_GUESTS, type ServiceChoice } from "../rules.ts";
import { Heading, Hidden, Notice, Outside } from "./parts.tsx";

type FormProps = BookingShop & {
  path: string;
  /** Fields of the query that the form keeps. */
  kept: readonly (readonly [string, string])[];
  /** Whether the guest chose something that cannot be booked. */
  isGone: boolean;
};

type ServiceProps = FormProps & {
  details: ServiceDetails;
  /**
   * The choice, if the chosen person does not perform the chosen variant; else null. The form keeps
   * its variant, add-ons and number of guests.
   */
  mismatch: ServiceChoice | null;
};

/** The second step for a service: its variant, add-ons, people and number of guests. */
export const ServiceOptions = (props: ServiceProps) => {
  const { shop, texts, path, kept, isGone, details, mismatch } = props;
  const { service, staff } = details;
  const { variants, addonLinks } = service;
  return (
    <>
      <Heading>
        <Outside shop={shop} text={service.name} />
      </Heading>
      {isGone && <Notice kind="warn">{mismatch === null ? texts.gone : texts.otherVariant}</Notice>}
      {service.description !== null && (
        <p class="long">
          <Outside shop={shop} text={service.description} />
        </p>
      )}
      <form method="get" action={path}>
        <Hidden fields={[...kept, ["service", service.id]]} />
        {variants.length > 0 && <Variants {...props} variants={variants} />}
        {addonLinks.length > 0 && <Addons {...props} links={addonLinks} />}
        {staff.length === 0 ? (
          <Hidden fields={[["staff", ANYONE]]} />
        ) : (
          <fieldset class="options">
            <legend>{texts.staff}</legend>
            <Option name="staff" value={ANYONE} isChosen>
              {texts.anyone}
            </Option>
            {staff.map(({ id, name, title }) => (
              <Option name="staff" value={id}>
                <Outside shop={shop} text={name} />
                {title !== null && (
                  <span class="faint">
                    <Outside shop={shop} text={title} />
                  </span>
                )}
              </Option>
            ))}
          </fieldset>
        )}
        {service.capacity > 1 && (
          <Count
            {...props}
            name="guests"
            max={Math.min(service.capacity, MAX_GUESTS)}
            chosen={mismatch?.guests ?? 1}
          />
        )}
        <button class="primary large" type="submit">
          {texts.showTimes}
        </button>
      </form>
    </>
  );
};

type OptionProps = {
  name: string;
  value: string;
  isChosen?: boolean;
  children: preact.ComponentChildren;
};

const Option = ({ name, value, isChosen = false, children }: OptionProps) => (
  <label class="option">
    <input type="radio" name={name} value={value} checked={isChosen} />
    <span>{children}</span>
  </label>
);

const Variants = ({
  shop,
  texts,
  details: { service, staff },
  mismatch,
  variants,
}: ServiceProps & { variants: PublicService["variants"] }) => {
  const chosen =
    variants.find(({ id }) => id === mismatch?.variantId) ??
    variants.find(({ isDefault }) => isDefault) ??
    variants[0];
  const staffDiffers = variants.some(({ staffIds }) => staffIds !== null);
  const names = new Map(staff.map(({ id, name }) => [id, name]));
  const listNames = (ids: readonly string[]): string =>
    shop.format.list(ids.flatMap((id) => names.get(id) ?? []));
  return (
    <fieldset class="options">
      <legend>{texts.variant}</legend>
      {variants.map((variant) => (
        <Option name="variant" value={variant.id} isChosen={variant === chosen}>
          <Outside shop={shop} text={variant.name} />
          {staffDiffers && (
            <span class="faint">
              <Outside shop={shop} text={listNames(variant.staffIds ?? service.staffIds)} />
            </span>
          )}
          <span class="facts">
            <span>{shop.format.duration(variant.durationMin)}</span>
            <span class="price">{priceText(shop, service.priceType, variant.priceCents)}</span>
          </span>
        </Option>
      ))}
    </fieldset>
  );
};

const Addons = ({
  shop,
  texts,
  mismatch,
  links,
}: ServiceProps & { links: PublicService["addonLinks"] }) => (
  <fieldset class="options">
    <legend>{texts.addons}</legend>
    {links.map((link) => {
      const { addon } = link;
      const minutes = link.durationMin ?? addon.durationMin;
      const min = link.required ? Math.max(1, link.minQuantity) : 0;
      const max = Math.max(min, link.maxQuantity);
      const chosen =
        mismatch === null
          ? link.defaultQuantity
          : (mismatch.addons.find(({ addonId }) => addonId === addon.id)?.quantity ?? 0);
      const name = addonField(addon.id);
      const label = (
        <span>
          <Outside shop={shop} text={addon.name} />
          <span class="facts">
            {minutes > 0 && <span>+ {shop.format.duration(minutes)}</span>}
            <span class="price">+ {shop.format.money(link.priceCents ?? addon.priceCents)}</span>
          </span>
        </span>
      );
      if (min === max)
        return (
          <p class="option">
            <input type="hidden" name={name} value={min} />
            {label} <span class="faint">({texts.included})</span>
          </p>
        );
      if (max === 1)
        return (
          <label class="option">
            <input type="checkbox" name={name} value="1" checked={chosen > 0} />
            {label}
          </label>
        );
      // An optional add-on is left out, or taken at least `minQuantity` times.
      const quantities = Array.from({ length: max - min + 1 }, (_, i) => min + i).filter(
        (count) => count === 0 || count >= link.minQuantity,
      );
      return (
        <label class="option">
          <select name={name}>
            {quantities.map((count) => (
              <option value={count} selected={count === Math.max(min, chosen)}>
                {count === 0 ? texts.none : `${count} ×`}
              </option>
            ))}
          </select>
          {label}
        </label>
      );
    })}
  </fieldset>
);

const Count = ({
  texts,
  name,
  max,
  chosen,
}: BookingShop & { name: string; max: number; chosen: number }) => (
  <div class="field">
    <label for={name}>{texts.guests}</label>
    <select id={name} name={name} class="short">
      {Array.from({ length: max }, (_, i) => i + 1).map((count) => (
        <option value={count} selected={count === chosen}>
          {count}
        </option>
      ))}
    </select>
  </div>
);

/** The most party sizes that the list offers. */
const MAX_PARTY_CHOICES = 100;

/** The second step for a table: the size of the party and the area. */
export const PartyOptions = (props: FormProps & { offer: Offer }) => {
  const { shop, texts, path, kept, isGone, offer } = props;
  const max = Math.min(offer.maxParty, MAX_PARTY_CHOICES);
  return (
    <>
      <Heading>{texts.table}</Heading>
      {isGone && <Notice kind="warn">{texts.gone}</Notice>}
      <form method="get" action={path}>
        <Hidden fields={[...kept, ["table", "1"]]} />
        <Count {...props} name="party" max={max} chosen={Math.min(2, max)} />
        {offer.areas.length > 1 && (
          <fieldset class="options">
            <legend>{texts.area}</legend>
            <Option name="area" value="" isChosen>
              {texts.anywhere}
            </Option>
            {offer.areas.map(({ id, name }) => (
              <Option name="area" value={id}>
                <Outside shop={shop} text={name} />
              </Option>
            ))}
          </fieldset>
        )}
        <button class="primary large" type="submit">
          {texts.showTimes}
        </button>
      </form>
    </>
  );
};
