import type { DocOf, Kind } from "./catalog.ts";
import type { Keyed } from "./common.ts";

/**
 * Maps each kind of object that has parts with keys of their own to the field that lists these
 * parts.
 */
export const PARTS = {
  service: "variants",
  menu_item: "sizes",
  modifier_group: "options",
  public_event: "ticketTypes",
} as const satisfies {
  [K in Kind]?: keyof DocOf[K];
};

type KindWithParts = keyof typeof PARTS;

export const KINDS_WITH_PARTS = Object.keys(PARTS) as KindWithParts[];

export const hasParts = (kind: Kind): kind is KindWithParts => kind in PARTS;

export const partsOf = (kind: KindWithParts, doc: DocOf[Kind]): Keyed[] =>
  (doc as unknown as Record<string, Keyed[]>)[PARTS[kind]] ?? [];
