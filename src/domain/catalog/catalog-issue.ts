import { didYouMean } from "../nearest.ts";

/** The index of a file, then field names and list positions. */
export type Path = readonly (string | number)[];

/** An issue of a file, described for its author. */
export type CatalogIssue = {
  code:
    | "invalid_value"
    | "unknown_field"
    | "missing_field"
    | "unknown_reference"
    | "repeated_key"
    | "contradiction";
  path: Path;
  detail: string;
  /** The earlier of two places in conflict. */
  otherPath?: Path;
};

/** The field itself, or the list that the value is in. */
export const fieldName = (path: Path): string =>
  String(path.findLast((part) => typeof part === "string") ?? "file");

/** The path of the section's item; undefined outside lists. */
export function itemPath(path: Path): Path | undefined {
  const position = path.findIndex((part, index) => index > 0 && typeof part === "number");
  return position === -1 ? undefined : path.slice(0, position + 1);
}

/**
 * A `didYouMean` that stops suggesting after comparing `limit` letters. Each suggestion compares a name
 * with all known ones, of which a large file has many thousands, and long ones take longer.
 */
export function limitedSuggestions(limit = 2_000_000): typeof didYouMean {
  let left = limit;
  return (name, known) =>
    (left -= known.length * name.length) >= 0 ? didYouMean(name, known) : "";
}
