import type { Booked } from "../rules.ts";

/**
 * What a website sends to the frame with the booking page, each time the frame has loaded a page.
 */
export type ToFrame = { type: "deskbell:hello" };

/** What the frame answers. */
export type FromFrame =
  | { type: "deskbell:height"; height: number }
  | { type: "deskbell:booked"; booked: Booked };
