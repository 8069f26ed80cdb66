import { integer, texts } from "../flags.ts";

/** Flags that describe a visit, the same for `availability` and `bookings create`. */
export const visitFlags = {
  service: texts("key", "a service; repeat it for several, in their order"),
  variant: texts("key", "a variant of the service (default: its default variant)"),
  addon: texts("key", "an add-on, such as wash or wash*2; cut:wash if several services have it"),
  staff: texts("key", "a staff member; cut:mia for one of several services (default: anyone)"),
  guests: integer(1, 10_000, "number of people who take part (default 1)"),
};
