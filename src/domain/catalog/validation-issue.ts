import type { Kind } from "./catalog.ts";
import { didYouMean } from "../nearest.ts";
import { safe } from "../safe-text.ts";

/** Where something stands: the number of its file, then fields and positions in lists. */
export type Path = readonly (string | number)[];

/** Something that the author of a file has to mend. */
export type ValidationIssue = {
  code:
    | "invalid_value"
    | "unknown_field"
    | "missing_field"
    | "unknown_reference"
    | "repeated_key"
    | "contradiction";
  at: Path;
  /** A sentence, or several. */
  detail: string;
  /** The other place, of two that do not go together. */
  first?: Path;
};

export const quote = (text: string): string => `'${safe(text, 80)}'`;

/** A value as it is repeated to its author. */
export function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a group of fields";
  return value === undefined || value === null ? "nothing" : String(value);
}

/** The field that a path leads to, or the list that it leads into. */
export const fieldName = (path: Path): string =>
  String(path.findLast((part) => typeof part === "string") ?? "file");

/** The object in a section's list, or the whole section, that a path leads into. */
export function itemPath(path: Path): Path | undefined {
  const position = path.findIndex((part, index) => index > 0 && typeof part === "number");
  return position === -1 ? undefined : path.slice(0, position + 1);
}

/**
 * Suggestions for a bounded number of names: each costs a walk over all known ones, and a file whose every reference is
 * broken would take minutes.
 */
export function limitedSuggestions(limit = 200): typeof didYouMean {
  let left = limit;
  return (name, known) => (left-- > 0 ? didYouMean(name, known) : "");
}

/** What a kind is called in a sentence. */
export const KIND_NAMES: Record<Kind, string> = {
  service_category: "service category",
  addon: "add-on",
  service: "service",
  resource: "resource",
  staff: "staff member",
  menu_category: "menu category",
  modifier_group: "modifier group",
  menu_item: "menu item",
  area: "area",
  table: "table",
  promotion: "promotion",
  public_event: "event",
};

/** An object's name among all kinds. */
export const objectRef = (kind: Kind | "ticket_type", key: string): string => `${kind}\0${key}`;
