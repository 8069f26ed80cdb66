import { FEATURES } from "../../features/index.ts";

/**
 * Returns the path below /b/{slug}/ of the page on which guests book; undefined if no feature has
 * such a page.
 */
export const findBookingPath = (): string | undefined =>
  FEATURES.find(({ bookingPath }) => bookingPath !== undefined)?.bookingPath;
