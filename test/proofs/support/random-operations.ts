import { createBooking } from "../../../src/app/bookings/bookings.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../src/features/tickets/orders/orders.ts";
import { cancelTicketOrder } from "../../../src/features/tickets/orders/change-order.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { loadCancelAffected } from "../../../src/app/catalog/changes/affected-visits.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { changeCatalog } from "../../../src/app/catalog/changes/change-catalog.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { readStoredCatalog, writeCatalogText } from "../../../src/app/catalog/export-catalog.ts";
import { loadCatalog } from "../../../src/app/catalog/load-catalog.ts";
import { replaceCatalog } from "../../../src/app/catalog/changes/replace-catalog.ts";
import { planUndo } from "../../../src/features/undo/undo-catalog.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import type { Catalog, DocOf, Kind, TicketTypeDoc } from "../../../src/domain/catalog/catalog.ts";
import { AppError } from "../../../src/domain/errors.ts";
import { formatInstant } from "../../../src/domain/local-time.ts";
import { applyRandomEdits, type RandomInt } from "../../support/random-edits.ts";
import type { TestRuntime } from "../../support/test-runtime.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const cancelAffected = await loadCancelAffected();

/**
 * Returns a function that does one random operation of a business and returns its name: catalog
 * files and edits, orders, bookings, dishes that sell out, and the clock. The scheduler, which
 * publishes what the clock changes, is left to the caller.
 */
export function createRandomOperations(
  rt: TestRuntime,
  slug: string,
  randomInt: RandomInt,
): () => string {
  const business = () => getBusiness(rt, slug);
  const load = (): Catalog => structuredClone(loadCatalog(rt, business()).catalog);
  const pick = <T>(list: readonly T[]): T | undefined => list[randomInt(list.length || 1)];
  const change = (edit: (catalog: Catalog) => Catalog | void): void => {
    const catalog = load();
    changeCatalog(rt, { catalog: edit(catalog) ?? catalog, origin: "local", loaded: null });
  };
  const editTicketType = (edit: (type: TicketTypeDoc, event: DocOf["public_event"]) => void) =>
    change(({ objects }) => {
      const event = pick(objects.public_event);
      const type = event && pick(event.ticketTypes);
      if (type) edit(type, event);
    });
  const undo = (version?: number): void => {
    const { replacement } = planUndo(rt, slug, version);
    replaceCatalog(rt, replacement, { cancelAffected, confirmed: true });
  };
  const orders: string[] = [];

  const operations: Record<string, () => void> = {
    "edit objects": () => change((catalog) => applyRandomEdits(catalog, randomInt, rt.now())),
    "edit many objects": () =>
      change((catalog) => {
        let next = catalog;
        for (let i = 0; i < 5; i++) next = applyRandomEdits(next, randomInt, rt.now());
        return next;
      }),
    "edit one object": () => {
      const { objects } = load();
      const kind = pick(["service", "addon", "menu_item", "staff"] as const) ?? "service";
      const doc = pick(objects[kind] as DocOf[typeof kind][]);
      if (doc)
        editObject(rt, slug, kind, doc.key, (one) => ({ ...one, name: `Name ${randomInt(999)}` }));
    },
    "reverse a list": () =>
      change(({ objects }) => void objects[pick(Object.keys(objects) as Kind[])!].reverse()),
    "delete half of a long list": () =>
      change(({ objects }) => {
        const list = objects[pick(Object.keys(objects) as Kind[])!] as unknown[];
        if (list.length > 6) list.splice(0, list.length / 2);
      }),
    "rename a key": () => change((catalog) => renameKey(catalog, randomInt)),
    "translate an object": () =>
      change(({ objects }) => {
        const doc = pick([...objects.service, ...objects.addon, ...objects.menu_item]);
        if (doc) doc.translations = { es: { name: `Nombre ${randomInt(999)}` } };
      }),
    "change an add-on": () =>
      change(({ objects }) => {
        const addon = pick(objects.addon);
        if (addon) Object.assign(addon, { durationMin: randomInt(60), maxQuantity: 3 });
      }),
    "change the options of a dish": () =>
      change(({ objects }) => {
        const group = pick(objects.modifier_group);
        if (group)
          group.options = [0, 1, 2].slice(randomInt(3)).map((i) => ({
            key: `option-${i}`,
            previousKeys: [],
            name: `Option ${i}`,
            priceCents: randomInt(500),
            isDefault: false,
            allergens: [],
            translations: {},
          }));
      }),
    "change a quota": () =>
      editTicketType((_type, event) => {
        for (const quota of event.quotas) quota.size = randomInt(40);
      }),
    "hide the number of tickets": () =>
      editTicketType((type) => void (type.showRemaining = !type.showRemaining)),
    "withdraw a ticket type": () =>
      editTicketType((type) => void (type.status = randomInt(2) ? "INACTIVE" : "ACTIVE")),
    "change the times of a sale": () =>
      editTicketType((type) => {
        type.salesStartAt = rt.now() + (randomInt(9) - 4) * HOUR_MS;
        type.salesEndAt = rt.now() + (5 + randomInt(9)) * HOUR_MS;
      }),
    "change the business": () =>
      change(({ business }) => {
        const fields = [
          { name: `Business ${randomInt(99)}` },
          { description: `Text ${randomInt(99)}` },
          { phone: `+1 212 555 01${10 + randomInt(89)}` },
          { bookingPolicy: { ...business.bookingPolicy, minNoticeMin: 15 * randomInt(9) } },
        ];
        Object.assign(business, pick(fields));
      }),
    "change the hours": () =>
      change(({ schedule }) => {
        const start = `0${randomInt(10)}:00`;
        schedule.hours = [
          { days: ["mon", "fri"], start, end: "18:00", validFrom: null, validTo: null },
        ];
        schedule.exceptions = [{ date: "2026-12-24", mode: "REPLACE", intervals: [] }];
      }),
    "change the time zone": () =>
      change(({ business }) => {
        business.timezone = pick(["America/New_York", "Asia/Kolkata", "UTC"]) ?? "UTC";
      }),
    "change the language": () =>
      change(({ business }) => {
        business.locales = ["en", "es"];
        business.locale = pick(business.locales) ?? "en";
      }),
    "apply a file in another currency": () => {
      const currency = pick(["USD", "JPY", "EUR"]) ?? "USD";
      const { content } = writeCatalogText(readStoredCatalog(rt, business()), "yaml");
      const text = content.replace(/^( *currency:).*$/m, `$1 ${currency}`);
      applyCatalog(rt, [{ name: "catalog.yaml", text }], {
        acceptCurrencyChange: true,
        confirmed: true,
      });
    },
    "undo the last change": () => undo(),
    "restore an earlier version": () => undo(business().catalogVersion - randomInt(8)),
    "order tickets": () => {
      const event = pick(load().objects.public_event);
      const type = event && pick(event.ticketTypes);
      if (!type) return;
      const items = [`${type.key}*${1 + randomInt(6)}`];
      orders.push(createTicketOrder(rt, slug, { event: event.key, items }).id);
    },
    "confirm an order": () => void confirmTicketOrder(rt, slug, pick(orders) ?? "none"),
    "cancel an order": () => void cancelTicketOrder(rt, slug, pick(orders) ?? "none"),
    "book a service": () => {
      const service = pick(load().objects.service);
      const start = formatInstant(rt.now() + 24 * HOUR_MS, business().doc.timezone);
      createBooking(rt, slug, { service: service?.key ?? "none", start });
    },
    "add time off": () => {
      const person = pick(load().objects.staff)?.key ?? "none";
      createTimeOff(rt, slug, {
        staff: person,
        from: "2027-01-04",
        to: "2027-01-08",
        reason: null,
      });
    },
    "mark a dish": () => {
      const { objects } = load();
      const keys = [
        ...objects.menu_item.map(({ key }) => key),
        ...objects.modifier_group.flatMap(({ key, options }) =>
          options.map((option) => `${key}/${option.key}`),
        ),
      ];
      const until = ["back", null, rt.now() + (1 + randomInt(5)) * HOUR_MS] as const;
      setSoldOut(rt, business(), pick(keys) ?? "none", until[randomInt(3)] ?? null);
    },
    "advance the clock by hours": () => rt.advance(randomInt(6) * HOUR_MS),
    "advance the clock by minutes": () => rt.advance(randomInt(40) * MINUTE_MS),
  };
  // Objects are edited more often than, for example, the time zone.
  const names = [...Object.keys(operations), "edit objects", "edit objects"];

  return () => {
    const name = pick(names) ?? "";
    try {
      operations[name]?.();
      return name;
    } catch (error) {
      // An operation that is refused, for example if tickets are sold out, changes nothing.
      if (error instanceof AppError) return `${name}: ${error.code}`;
      throw error;
    }
  };
}

/** Renames an object and everything that refers to it; its ID stays the same. */
function renameKey(catalog: Catalog, randomInt: RandomInt): Catalog {
  const docs = Object.values(catalog.objects).flat();
  const old = docs[randomInt(docs.length || 1)]?.key;
  if (old === undefined) return catalog;
  const key = `renamed-${randomInt(2 ** 32)}`;
  const renamed = JSON.parse(
    JSON.stringify(catalog).replaceAll(`"${old}"`, `"${key}"`).replaceAll(`"${old}/`, `"${key}/`),
  ) as Catalog;
  for (const doc of Object.values(renamed.objects).flat())
    if (doc.key === key) doc.previousKeys = [...doc.previousKeys.slice(-3), old];
  return renamed;
}
