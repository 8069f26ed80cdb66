import { MAX_ISSUES } from "../../errors.ts";
import { lazy } from "../../lazy.ts";
import { unsafeNameError } from "../../text.ts";
import { type CatalogIssue, fieldName, type Path } from "../catalog-issue.ts";
import type { Catalog } from "../catalog.ts";
import type { Unchanged } from "../change/unchanged-items.ts";

/** Fields with long texts, in which soft hyphens and marks of the writing direction are allowed. */
const LONG_TEXTS: ReadonlySet<unknown> = new Set(["description", "bio", "address", "imprint"]);

/**
 * Returns an issue for each new one-line text that has control or invisible characters. At most
 * `MAX_ISSUES` + 1 issues are searched for: the last one tells the caller that there are more
 * issues than an error lists. A text that an earlier version stored is accepted, so that other
 * fields of its object can be edited.
 * @param contents parsed files that are not validated yet
 */
export function findHiddenCharacters(
  contents: readonly unknown[],
  current: () => Catalog | null,
  unchanged: Unchanged,
): CatalogIssue[] {
  const issues: CatalogIssue[] = [];
  const storedTexts = lazy(() => {
    const texts = new Set<string>();
    walk(current(), [], (_, text) => texts.add(text.trim()));
    return texts;
  });
  const visit = (path: Path, text: string): void => {
    if (issues.length > MAX_ISSUES || LONG_TEXTS.has(path.at(-1))) return;
    const error = unsafeNameError(text);
    if (error === undefined || storedTexts().has(text.trim())) return;
    issues.push({ code: "invalid_value", path, detail: `'${fieldName(path)}' ${error}` });
  };
  for (const [file, content] of contents.entries()) walk(content, [file], visit, unchanged);
  return issues;
}

function walk(
  value: unknown,
  path: Path,
  visit: (path: Path, text: string) => void,
  unchanged?: Unchanged,
): void {
  if (typeof value === "string") return visit(path, value);
  if (typeof value !== "object" || value === null || unchanged?.has(value)) return;
  for (const [name, inner] of Object.entries(value))
    walk(inner, [...path, Array.isArray(value) ? Number(name) : name], visit, unchanged);
}
