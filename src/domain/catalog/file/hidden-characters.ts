import { unsafeNameError } from "../../text.ts";
import { type CatalogIssue, fieldName, type Path } from "../catalog-issue.ts";
import type { Catalog } from "../catalog.ts";
import type { Unchanged } from "../change/unchanged-items.ts";

/** Long texts may need marks of direction and soft hyphens. */
const LONG_TEXTS: ReadonlySet<unknown> = new Set(["description", "bio", "address"]);

/**
 * Returns an issue for each new text of one line with control or invisible characters. Texts that
 * an earlier version stored are accepted, so that an edit of something else is possible.
 * @param contents parsed files that are not validated yet
 */
export function findHiddenCharacters(
  contents: readonly unknown[],
  current: () => Catalog | null,
  unchanged: Unchanged,
): CatalogIssue[] {
  const found: { path: Path; text: string; error: string }[] = [];
  for (const [file, content] of contents.entries())
    walk(
      content,
      [file],
      (path, text) => {
        const error = LONG_TEXTS.has(path.at(-1)) ? undefined : unsafeNameError(text);
        if (error !== undefined) found.push({ path, text, error });
      },
      unchanged,
    );
  if (found.length === 0) return [];
  const stored = new Set<string>();
  walk(current(), [], (_, text) => stored.add(text.trim()));
  return found
    .filter(({ text }) => !stored.has(text.trim()))
    .map(({ path, error }) => ({
      code: "invalid_value",
      path,
      detail: `'${fieldName(path)}' ${error}`,
    }));
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
