import type { DocOf, Kind } from "./catalog.ts";
import type { Keyed } from "./common.ts";

/** The field that lists parts with keys of their own, for each kind with such parts. */
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
