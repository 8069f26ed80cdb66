import { nextTransition } from "../../domain/public/public-catalog.ts";
import type { Stock, StoredCatalog } from "../../domain/public/public-context.ts";
import { AppError } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { audit, auditTime } from "../audit.ts";
import type { AppendResult } from "../events.ts";
import type { Runtime } from "../runtime.ts";
import { loadCatalog, toStoredCatalog } from "./load-catalog.ts";
import { loadReferred, type ObjectEdit } from "./load-part.ts";
import { type Dish, findDish, listOptions, notFound } from "./objects.ts";
import { publishChange } from "./publish.ts";

export type SoldOutChange = AppendResult & Pick<Dish, "id" | "key" | "name">;

/**
 * Marks a dish or modifier option (`group/option`) as sold out or available. Catalog files do not
 * change this mark.
 * @param until epoch ms at which the mark ends; null for no end; "back" to remove the mark now
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
    const found = getDish(rt, business, keyOrId);
    const { id, key, name } = found;
    const published = publishChange(
      rt,
      business.id,
      (now) => {
        // Marks that end after `now` are kept, even if they end at this moment: their end still has
        // to be published.
        rt.store.soldOut.deleteExpired(business.id, now);
        if (until === "back") rt.store.soldOut.delete(business.id, id);
        else rt.store.soldOut.upsert(business.id, id, until);
      },
      { lists: ["menuItems", "modifierGroups"], load: createDishLoader(rt, business, found) },
    );
    audit(rt, {
      action: until === "back" ? "dish.available" : "dish.sold_out",
      subject: { id, name },
      businessId: business.id,
      details: until === "back" ? { key } : { key, until: auditTime(until) },
    });
    return { ...published, id, key, name };
  });
}

function getDish(rt: Runtime, business: BusinessRow, keyOrId: string): Dish {
  const found = findDish(rt, business, keyOrId);
  if (found !== undefined) return found;
  const options = listOptions(rt, business).map(({ key }) => key);
  const keys = [...rt.store.catalog.listKeys(business.id, "menu_item"), ...options];
  throw notFound(`${business.slug} has no dish or option`, keyOrId, keys, "deskbell menu list");
}

/**
 * Returns a function that loads the objects in which partners see a sold-out mark: the dish that is
 * marked, or the modifier group of the marked option, and each dish with this group.
 */
function createDishLoader(
  rt: Runtime,
  business: BusinessRow,
  { doc, kind }: Dish,
): (row: BusinessRow) => StoredCatalog {
  const dishes =
    kind === "menu_item"
      ? []
      : rt.store.catalog
          .listMentioning(business.id, "menu_item", doc.key)
          .filter(({ modifierGroups }) => modifierGroups.includes(doc.key));
  // Nothing is edited: these edits only name the objects to load.
  const shown = [
    { kind, doc, edited: doc },
    ...dishes.map((dish): ObjectEdit => ({ kind: "menu_item", doc: dish, edited: dish })),
  ];
  const objects = loadReferred(rt, business, shown);
  if (objects === null) return (row) => loadCatalog(rt, row);
  // `others` stands for the objects that are not loaded, and has the time of their next transition.
  let others: StoredCatalog["others"];
  return (row) => {
    const stock = { soldOut: rt.store.soldOut.list(row.id), taken: new Map() };
    // `others` is computed in the first call, which precedes the change: the mark that the change
    // replaces is then still stored.
    others ??= { nextTransitionAt: nextTransitionOfOthers(rt, row, stock) };
    return { ...toStoredCatalog(rt, row, objects, stock), others };
  };
}

/**
 * Returns when the catalog next changes by itself. The end of a sold-out mark does not count,
 * because the caller may be about to replace the mark. If such an end comes first, the result is
 * the next change of a promotion or public event.
 */
function nextTransitionOfOthers(rt: Runtime, row: BusinessRow, stock: Stock): number | null {
  const { nextTransitionAt } = row;
  if (nextTransitionAt === null) return null;
  if (![...stock.soldOut.values()].includes(nextTransitionAt)) return nextTransitionAt;
  const objects = rt.store.catalog.listObjects(row.id, ["promotion", "public_event"]);
  const timed = toStoredCatalog(rt, row, objects, stock);
  // The result may be `nextTransitionAt` itself. `nextTransition` returns only instants after the
  // instant that it gets, so it gets an instant 1 ms earlier.
  return nextTransition(timed, nextTransitionAt - 1, ["promotions", "events"]);
}
