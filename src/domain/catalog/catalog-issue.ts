import { didYouMean, isLike } from "../nearest.ts";

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
  /** Returns the detail with the value as its author wrote it, such as 01067 for 1067. */
  describe?: (source: string) => string;
  /** The earlier of two places in conflict. */
  otherPath?: Path;
};

/** Returns the name of the field at a path; for an item of a list, the name of the list. */
export const fieldName = (path: Path): string =>
  String(path.findLast((part) => typeof part === "string") ?? "file");

/** Returns the path of the outermost list item that contains `path`; undefined outside lists. */
export function itemPath(path: Path): Path | undefined {
  const position = path.findIndex((part, index) => index > 0 && typeof part === "number");
  return position === -1 ? undefined : path.slice(0, position + 1);
}

/**
 * Returns a `didYouMean` that makes no more suggestions once it has compared `maxLetters` letters.
 * Each suggestion compares a name with all known names, and a large file has many thousands of
 * names.
 */
export function limitedSuggestions(maxLetters = 2_000_000): typeof didYouMean {
  let lettersLeft = maxLetters;
  return (name, known) =>
    (lettersLeft -= known.length * name.length) >= 0 ? didYouMean(name, known) : "";
}

/**
 * Each field is listed with the fields that can replace it or that decide whether it is required.
 */
const SUBSTITUTES: Readonly<Record<string, readonly string[]>> = {
  price: ["priceCents", "priceType", "kind", "sizes"],
  amount: ["amountCents", "type"],
  percent: ["percentBps", "type"],
  buyQuantity: ["type"],
  addon: ["type"],
  startsAt: ["startsIn"],
  endsAt: ["durationMin"],
  slug: ["key"],
};

/**
 * Returns the issues of reading the files, except those that follow from a schema issue. The schema
 * check deletes or replaces invalid fields, which then seem to be missing or contradictory.
 */
export function withoutFollowUpIssues(
  schemaIssues: readonly CatalogIssue[],
  issues: readonly CatalogIssue[],
): CatalogIssue[] {
  const byItem = Map.groupBy(schemaIssues, ({ path }) => itemPath(path)?.join("\0"));
  return issues.filter((issue) => {
    const earlier = byItem.get(itemPath(issue.path)?.join("\0")) ?? [];
    return !earlier.some((schemaIssue) => causes(schemaIssue, issue));
  });
}

/** Returns whether an issue of reading only follows from a schema issue of the same item. */
function causes(schemaIssue: CatalogIssue, { code, path }: CatalogIssue): boolean {
  const [field, invalidField] = [fieldName(path), fieldName(schemaIssue.path)];
  // An issue of the file as a whole is about a missing business.
  if (path.length === 1)
    return schemaIssue.path.length === 1 || isLike(String(schemaIssue.path[1]), "business");
  if (isWithin(schemaIssue.path, path)) return true;
  const isSibling = isWithin(schemaIssue.path, path.slice(0, -1));
  switch (code) {
    case "missing_field":
      return (
        isSibling &&
        (SUBSTITUTES[field]?.includes(invalidField) === true ||
          (schemaIssue.code === "unknown_field" && isLike(invalidField, field)))
      );
    case "contradiction":
      // A benefit of another type allows other fields, so an invalid type explains the
      // contradiction.
      return isSibling && invalidField === "type";
    case "unknown_reference":
      // The schema check may have deleted the ticket type that a quota names, or the whole list of
      // ticket types.
      return schemaIssue.path.includes(field);
    default:
      return false;
  }
}

const isWithin = (path: Path, outer: Path): boolean =>
  outer.every((part, index) => path[index] === part);
