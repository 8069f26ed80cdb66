import type { Catalog } from "./catalog.ts";
import { mergeCatalog, type MergedCatalog } from "./change/merge.ts";
import { KIND_NAMES, type ValidationIssue, quote } from "./validation-issue.ts";
import { normaliseCatalog, withoutFollowUpIssues } from "./read/normalise.ts";
import { findReferenceIssues, type ReferenceIssue } from "./references.ts";
import { validateSchema } from "./file/schema-check.ts";
import { findUnchanged } from "./change/unchanged-items.ts";

export type ValidateOptions = {
  /** What the box has now. */
  current: (businessSlug: string) => Catalog | null;
  /** Drops what the sections that are named do not list. */
  prune: boolean;
  /** Epoch ms; null when this is no seeding, and `12d 19:30` cannot be counted. */
  seedingAt: number | null;
};

/**
 * Holds what files say against every rule and lays it over what the box has. `contents` is not kept whole: what is wrong in it
 * is struck out. `merged` is null when so much is wrong that the rest cannot be judged; with mistakes it is of no use.
 */
export function validateCatalog(
  contents: unknown[],
  options: ValidateOptions,
): { merged: MergedCatalog | null; issues: ValidationIssue[] } {
  const current = once(options.current);
  const slug = contents.map(slugIn).find((one) => one !== undefined);
  const unchanged = findUnchanged(contents, slug === undefined ? null : current(slug));
  const shape = validateSchema(contents, unchanged);
  if (shape.files === null) return { merged: null, issues: shape.mistakes };

  const normalised = normaliseCatalog(shape.files, {
    ...options,
    current,
    unchanged,
    unreadable: shape.unreadable,
  });
  if ("detail" in normalised) return { merged: null, issues: [...shape.mistakes, normalised] };

  const merged = mergeCatalog(normalised.current, normalised.patch, options.prune);
  const flaws = findReferenceIssues(merged.catalog, normalised.unreadableKeys);
  return {
    merged,
    issues: [
      ...shape.mistakes,
      ...withoutFollowUpIssues(shape.mistakes, normalised.mistakes),
      ...flaws.map((flaw) => placeFlaw(flaw, normalised.placeOf)),
    ],
  };
}

/** Loading what the box has is half of the work. */
function once(load: ValidateOptions["current"]): ValidateOptions["current"] {
  const loaded = new Map<string, Catalog | null>();
  return (slug) => {
    if (!loaded.has(slug)) loaded.set(slug, load(slug));
    return loaded.get(slug) ?? null;
  };
}

function slugIn(content: unknown): string | undefined {
  const slug = (content as { business?: { slug?: unknown } | null } | null)?.business?.slug;
  return typeof slug === "string" ? slug : undefined;
}

function placeFlaw(
  { code, kind, key, path, detail }: ReferenceIssue,
  placeOf: (kind: ReferenceIssue["kind"], key: string) => ValidationIssue["at"] | undefined,
): ValidationIssue {
  const place = placeOf(kind, key);
  if (place !== undefined) return { code, at: [...place, ...path], detail };
  return {
    code,
    at: [0],
    detail: `The ${KIND_NAMES[kind]} ${quote(key)}, which is on the box and in no file: ${detail}`,
  };
}
