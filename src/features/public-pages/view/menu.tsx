/** @jsxImportSource preact */
import type { PublicMenuItem, PublicModifierGroup } from "../../../domain/public/menu.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Dishes, Shop } from "../content/content.ts";
import { firstOptions, MAX_OPTION_GROUPS, MAX_PARTS } from "../layout.ts";
import { Image, LongText, Outside } from "./frame.tsx";

/**
 * Dishes below their categories.
 * @param level the level of the categories' headings
 */
export const DishList = ({ shop, dishes, level }: { shop: Shop; dishes: Dishes; level: 2 | 3 }) => (
  <>
    {dishes.sections.map(({ group, items }) => {
      const Heading = `h${level}` as const;
      const name = group?.name ?? (dishes.sections.length > 1 ? shop.texts.more : null);
      return (
        <section class="group" id={group?.id}>
          {name !== null && (
            <Heading>{group === null ? name : <Outside shop={shop} text={name} />}</Heading>
          )}
          {group?.availability && (
            <p class="faint">{group.availability.map(shop.format.window).join(", ")}</p>
          )}
          <LongText shop={shop} text={group?.description ?? null} className="faint" />
          <ul class="items">
            {items.map((item) => (
              <Dish shop={shop} item={item} groups={dishes.modifierGroups} />
            ))}
          </ul>
        </section>
      );
    })}
  </>
);

type DishProps = {
  shop: Shop;
  item: PublicMenuItem;
  groups: Dishes["modifierGroups"];
};

const Dish = ({ shop, item, groups }: DishProps) => {
  const { texts, format } = shop;
  const { allergens, sizes, images } = item;
  const facts = [
    ...item.dietary.map((label) => texts.diets[label.toLowerCase()] ?? label),
    ...(item.spicyLevel ? [fillText(texts.spicy, { level: item.spicyLevel })] : []),
    ...(item.containsAlcohol ? [texts.alcohol] : []),
    ...(item.calories === null ? [] : [fillText(texts.calories, { count: item.calories })]),
    ...(item.availability ?? []).map(format.window),
  ];
  const namesOf = (list: readonly (keyof typeof texts.allergens)[]) =>
    format.list(list.map((allergen) => texts.allergens[allergen]));
  const options = item.modifierGroupIds.flatMap((id) => groups.get(id) ?? []);
  return (
    <li id={item.id} class={item.soldOut ? "item gone" : "item"}>
      {images[0] && <Image image={images[0]} className="thumb" />}
      <div class="body">
        <div class="head">
          <strong>
            <Outside shop={shop} text={item.name} />
            {item.soldOut && <span class="tag bad">{texts.soldOut}</span>}
          </strong>
          {sizes.length === 0 && <span class="price">{dishPrice(shop, item)}</span>}
        </div>
        <LongText shop={shop} text={item.description} />
        {sizes.length > 0 && (
          <ul class="parts">
            {sizes.slice(0, MAX_PARTS).map((size) => (
              <li>
                <Outside shop={shop} text={size.name} />
                <span class="price">{format.money(size.priceCents)}</span>
              </li>
            ))}
          </ul>
        )}
        {facts.length > 0 && (
          <p class="facts">
            {facts.map((fact) => (
              <span>
                <Outside shop={shop} text={fact} />
              </span>
            ))}
          </p>
        )}
        {allergens.contains.length > 0 && (
          <p class="facts">{fillText(texts.contains, { list: namesOf(allergens.contains) })}</p>
        )}
        {allergens.mayContain.length > 0 && (
          <p class="facts">{fillText(texts.mayContain, { list: namesOf(allergens.mayContain) })}</p>
        )}
        {options.length > 0 && (
          <details>
            <summary>{texts.options}</summary>
            {options.slice(0, MAX_OPTION_GROUPS).map((group) => (
              <Options shop={shop} group={group} />
            ))}
          </details>
        )}
      </div>
    </li>
  );
};

const Options = ({ shop, group }: { shop: Shop; group: PublicModifierGroup }) => {
  const { texts, format } = shop;
  return (
    <>
      <p class="facts">
        <Outside shop={shop} text={group.name} />
        {group.minSelections === 0 && <span>{texts.optional}</span>}
      </p>
      <ul class="parts">
        {firstOptions(group.options).map((option) => (
          <li>
            <span>
              <Outside shop={shop} text={option.name} />
              {option.soldOut && <span class="tag bad">{texts.soldOut}</span>}
            </span>
            {option.priceCents !== 0 && (
              <span class="price">
                {fillText(texts.extra, { price: format.money(option.priceCents) })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
};

export function dishPrice(
  { texts, format }: Shop,
  { priceType, priceCents }: Pick<PublicMenuItem, "priceType" | "priceCents">,
): string {
  if (priceType === "FREE") return texts.free;
  if (priceType === "MARKET") return texts.marketPrice;
  const price = format.money(priceCents);
  return priceType === "FROM" ? fillText(texts.fromPrice, { price }) : price;
}
