import type { z } from "zod";
import type { Kind } from "../catalog.ts";
import { itemPath, type Path } from "../catalog-issue.ts";
import { objectRef, PLACEHOLDER_KEY, type Uncertain } from "../references.ts";
import { isLike } from "../../nearest.ts";
import { guessBenefitType } from "./promotions.ts";
import { toSlugLetters, slugFromKey } from "./public-events.ts";
import { listIn, SECTION_KINDS, SECTIONS } from "./sections.ts";

/*
 * An invalid value is deleted or replaced after its issues have been described, so that the same
 * run can find the other issues of the files.
 */

type ZodIssue = z.core.$ZodIssue;
type Fields = Record<string, unknown>;

/** The slug of a business whose own slug is missing, or has no letter or digit. */
export const PLACEHOLDER_SLUG = "--";
/** The currency with the most decimals, so that no price is reported for having too many. */
export const PLACEHOLDER_CURRENCY = "CLF";

/** Replacements for missing and invalid values of required fields. */
const PLACEHOLDERS: Readonly<Record<string, (path: Path, parent: Fields) => unknown>> = {
  catalog: () => 1,
  // The business needs a slug. An invalid slug of any other object is deleted.
  slug: ([, section], parent) => (section === "business" ? meantSlug(parent.slug) : undefined),
  timezone: () => "UTC",
  currency: () => PLACEHOLDER_CURRENCY,
  key: placeholderKey,
  name: () => "?",
  durationMin: () => 1,
  // 1000 is the highest number allowed, so it is not below any `minSeats`.
  maxSeats: () => 1000,
  size: () => 1,
  addon: placeholderKey,
  service: placeholderKey,
  resource: placeholderKey,
  benefit: () => ({ type: "PERCENT_OFF", percentBps: 1 }),
  // A benefit needs a type. An invalid type of the business is deleted.
  type: ([, section], parent) => (section === "business" ? undefined : guessBenefitType(parent)),
};

/**
 * Returns the slug that an invalid one probably means, such as `salon-aurora` for `Salon Aurora`.
 */
const meantSlug = (slug: unknown): string =>
  (typeof slug === "string" && slugFromKey(slug)) || PLACEHOLDER_SLUG;

/** Returns a unique key, so that no issue says that it is repeated. */
function placeholderKey(path: Path): string {
  return `${PLACEHOLDER_KEY}${path.join(" ")}`;
}

export const valueAt = (contents: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce(
    (value, part) => (value as Record<PropertyKey, unknown> | null | undefined)?.[part],
    contents,
  );

/** Returns whether a path leads to something inside an item or inside the business. */
const isInside = (path: Path): boolean =>
  path.length > (path[1] === "business" ? 2 : (itemPath(path)?.length ?? Infinity));

/** Deletes unknown fields, and deletes or replaces an invalid value. */
export function repairValue(contents: unknown[], issue: ZodIssue): void {
  if (issue.code !== "unrecognized_keys")
    return repairAt(contents, issue.path as Path, expectsObject(issue));
  const parent = valueAt(contents, issue.path) as object;
  for (const field of issue.keys) Reflect.deleteProperty(parent, field);
}

/**
 * Deletes or replaces the object or list around a value that `repairValue` could not repair.
 * @returns false if nothing was repaired, because this object or list is a whole item, is the
 * business itself, or lies outside of both
 */
export function repairContainer(contents: unknown[], { path }: ZodIssue): boolean {
  const container = path.slice(0, -1) as Path;
  if (!isInside(container)) return false;
  repairAt(contents, container, false);
  return true;
}

const expectsObject = (issue: ZodIssue): boolean =>
  issue.code === "invalid_type" && issue.expected === "object";

/**
 * Deletes or replaces the value at a path. A list element that should be an object stays for now: if
 * it is a whole item, it is skipped later; if its list is inside an item or the business,
 * `repairContainer` deletes the list.
 */
function repairAt(contents: unknown[], path: Path, shouldBeObject: boolean): void {
  const [parentPath, field] = [path.slice(0, -1), path.at(-1)];
  const isInList = Array.isArray(valueAt(contents, parentPath));
  // Deleting one element would shift the paths of later ones, so the whole list is deleted.
  if (isInList && isInside(parentPath) && !shouldBeObject)
    return repairAt(contents, parentPath, false);
  // A file that is no object, or that has too many errors to list, becomes an empty catalog file.
  if (path.length === 1) contents[Number(field)] = { catalog: 1 };
  else if (!isInList && field !== undefined) repairField(contents, parentPath, String(field));
}

function repairField(contents: unknown[], path: Path, field: string): void {
  const parent = valueAt(contents, path);
  if (typeof parent !== "object" || parent === null || Array.isArray(parent)) return;
  const replacement = PLACEHOLDERS[field]?.([...path, field], parent as Fields);
  if (replacement === undefined) Reflect.deleteProperty(parent, field);
  else Reflect.set(parent, field, replacement);
}

/**
 * Returns the objects and kinds of objects that invalid parts of the files may define. References
 * to them are accepted, because they may exist once the files are corrected.
 * @param contents files that are not repaired yet
 */
export function findUncertain(
  contents: readonly unknown[],
  issues: readonly ZodIssue[],
): Uncertain {
  const refs = new Set<string>();
  const kinds = new Set<Kind>();
  for (const issue of issues) {
    const [file, ...path] = issue.path as Path;
    const misspelled = issue.code === "unrecognized_keys" ? issue.keys : [];
    for (const kind of SECTION_KINDS) {
      const section = SECTIONS[kind].path;
      const containsSection = path.every((part, index) => part === section[index]);
      const nextName = section[path.length] ?? "";
      // An invalid value may define every section inside it. An object with unknown fields may
      // define a section only if one of these fields looks like a misspelled name of the section.
      if (
        containsSection &&
        (misspelled.length === 0 || misspelled.some((name) => isLike(name, nextName)))
      )
        kinds.add(kind);
      const position = path[section.length];
      const isInSection = section.every((part, index) => part === path[index]);
      if (typeof position !== "number" || !isInSection) continue;
      const item = (listIn(contents[Number(file)], kind) as unknown[])[position];
      for (const key of possibleKeys(item, kind, path.slice(section.length + 1)))
        refs.add(objectRef(kind, key));
    }
  }
  return { refs, kinds };
}

/**
 * Returns the keys that the author of an item with an issue may have meant.
 * @param path the place of the issue inside the item
 */
function possibleKeys(item: unknown, kind: Kind, path: Path): string[] {
  // A text in place of an object may be the object's key.
  if (typeof item !== "object" || item === null) return [String(item)];
  const { key, name } = item as { key?: unknown; name?: unknown };
  if (path[0] === "key" && path.length === 1)
    return [String(key).trim(), String(name), toSlugLetters(String(name))];
  // References to ticket types begin with the key of their public event.
  return kind === "public_event" && path[0] === "ticketTypes" ? [String(key)] : [];
}
