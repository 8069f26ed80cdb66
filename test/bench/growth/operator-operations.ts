import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { replaceCatalog } from "../../../src/app/catalog/changes/replace-catalog.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { catalogId } from "../../../src/domain/ids.ts";
import { createCalendar } from "../../../src/features/calendars/calendars.ts";
import { writeFeed } from "../../../src/features/calendars/write-feed.ts";
import { runDoctor } from "../../../src/features/doctor/run-doctor.ts";
import { planUndo } from "../../../src/features/undo/undo-catalog.ts";
import { SERVICE, SLUG, type Size, type Target } from "./data.ts";

export const OPERATOR_OPERATIONS = [
  "sold-out",
  "undo",
  "pending visits",
  "visits of staff",
  "visits of service",
  "calendar feed",
  "events of a type",
  "doctor",
] as const;

/** Runs the operation for the nth time. */
type Run = (n: number) => unknown;

type Create = (rt: Runtime, size: Size, targets: readonly Target[]) => Run | Promise<Run>;

/** Returns a function that sends the nth GET. */
type CreateGet = (
  rt: Runtime,
  targets: readonly (Target | undefined)[],
) => (n: number, path: string) => Promise<void>;

/**
 * Returns the operations of operators other than edits, and the lists of visits. The pages of the
 * file are in the system's cache, but deskbell caches none of the results.
 */
export const createOperatorOperations = (
  createGet: CreateGet,
): Record<(typeof OPERATOR_OPERATIONS)[number], Create> => ({
  "sold-out"(rt) {
    const business = getBusiness(rt, SLUG);
    const [dish = ""] = rt.store.catalog.listKeys(business.id, "menu_item");
    return (n) => setSoldOut(rt, business, dish, n % 2 === 0 ? null : "back");
  },
  // An undo of an undo makes the change again, so each run changes one price.
  undo(rt) {
    editObject(rt, SLUG, "service", SERVICE, (doc) => ({ ...doc, priceCents: 999 }));
    return () => replaceCatalog(rt, planUndo(rt, SLUG).replacement, { confirmed: true });
  },
  "pending visits"(rt, _size, [target]) {
    const get = createGet(rt, [target]);
    return (n) => get(n, "bookings?status=PENDING");
  },
  "visits of staff"(rt, _size, [target]) {
    const get = createGet(rt, [target]);
    return (n) => get(n, `bookings?staffId=${catalogId("stf", SLUG, "ann")}&limit=10`);
  },
  // Nobody has booked this service, so the search cannot end early at a full page.
  "visits of service"(rt, _size, [target]) {
    const get = createGet(rt, [target]);
    const [unused = ""] = rt.store.catalog.listKeys(getBusiness(rt, SLUG).id, "service");
    return (n) => get(n, `bookings?serviceId=${catalogId("svc", SLUG, unused)}`);
  },
  "calendar feed"(rt) {
    const calendar = { staffId: null, withGuests: true };
    const created = createCalendar(rt, getBusiness(rt, SLUG), calendar);
    return () => writeFeed(rt, created.calendar, rt.now());
  },
  // There is no event of this type, so the search cannot end early at a full page.
  "events of a type": (rt) => () => rt.store.events.list({ type: "staff.reordered" }, 50),
  doctor: (rt) => () =>
    Array.fromAsync(
      runDoctor(rt.config, {
        open: async () => rt,
        askDaemon: async () => ({ at: rt.now() }),
      }),
    ),
});
