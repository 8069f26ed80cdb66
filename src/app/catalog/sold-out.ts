import type { Catalog } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import { modifierOptionId } from "../../domain/public/menu.ts";
import { getByKeyOrId } from "./objects.ts";
import { audit, auditTime } from "../audit.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { AppendResult } from "../events.ts";
import { loadCatalog } from "./load-catalog.ts";
import { publishChange } from "./publish.ts";

export type SoldOutChange = AppendResult & Dish;

/**
 * Marks a dish or modifier option (`group/option`) as sold out or available. Catalog files do not
 * change this mark.
 * @param until epoch ms at which it becomes available again; null for no end; "back" for now
 */
export function setSoldOut(
  rt: Runtime,
  business: BusinessRow,
  keyOrId: string,
  until: number | null | "back",
): SoldOutChange {
  if (typeof until === "number" && until <= rt.now())
    throw new AppError("usage", "--until is in the past.", {
      fix: "set a later --until, or use --undo",
    });
  return rt.tx(() => {
    const found = getDish(loadCatalog(rt, business).catalog, keyOrId);
    const published = publishChange(
      rt,
      business.id,
      () => {
        rt.store.soldOut.deleteExpired(business.id, rt.now());
        if (until === "back") rt.store.soldOut.delete(business.id, found.id);
        else rt.store.soldOut.upsert(business.id, found.id, until);
      },
      { lists: ["menuItems", "modifierGroups"] },
    );
    const { id, name, key } = found;
    audit(rt, {
      action: until === "back" ? "dish.available" : "dish.sold_out",
      subject: { id, name },
      businessId: business.id,
      details: until === "back" ? { key } : { key, until: auditTime(until) },
    });
    return { ...published, ...found };
  });
}

type Dish = { id: string; key: string; name: string };

function getDish({ business, objects }: Catalog, keyOrId: string): Dish {
  const dishes = objects.menu_item.map((doc) => ({
    id: objectId("menu_item", business.slug, doc),
    key: doc.key,
    name: doc.name,
  }));
  const options = objects.modifier_group.flatMap((group) =>
    group.options.map((option) => ({
      id: modifierOptionId(business.slug, group, option),
      key: `${group.key}/${option.key}`,
      name: option.name,
    })),
  );
  return getByKeyOrId(
    [...dishes, ...options],
    `${business.slug} has no dish or option`,
    keyOrId,
    ({ id }) => id,
    "deskbell menu list",
  );
}
