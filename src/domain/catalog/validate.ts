import {
  ALL_KINDS,
  type Catalog,
  type CatalogObjects,
  type DocOf,
  emptyObjects,
  emptySchedule,
  type Kind,
  KIND_NAMES,
} from "./catalog.ts";
import { mergeCatalog, type MergedCatalog } from "./change/merge.ts";
import { findUnchanged } from "./change/unchanged-items.ts";
import { validateSchema } from "./file/schema-check.ts";
import { findHiddenCharacters } from "./file/hidden-characters.ts";
import { withoutFollowUpIssues, type Path, type CatalogIssue } from "./catalog-issue.ts";
import {
  normaliseCatalog,
  type Normalised,
  type NormaliseOptions,
  TooManyIssues,
} from "./file/normalise.ts";
import { PLACEHOLDER_SLUG } from "./file/repair.ts";
import {
  createReferenceCheck,
  findReferenceIssues,
  findSharedPartIds,
  type ReferenceIssue,
  type Uncertain,
} from "./references.ts";
import { memoized } from "../lazy.ts";
import { quote } from "../text.ts";
import { writeBusiness } from "./file/business.ts";
import { exportCatalog } from "./file/sections.ts";
import type { AuthoredFile } from "./file/schema.ts";
import { AppError } from "../errors.ts";

export type ValidateOptions = {
  /** Returns the stored catalog; null if the business is new. */
  current: (businessSlug: string) => Catalog | null;
  /** Whether stored objects that a section of the files does not list are deleted. */
  prune: boolean;
  /** Epoch ms from which `startsIn` counts; null if files may not have `startsIn`. */
  seedingAt: number | null;
  /** Whether `current` has only the objects to which the objects in the files refer. */
  isPartial?: boolean;
  /**
   * Whether other files of the business could not be read. Such a file may define objects to which
   * these files refer.
   */
  isIncomplete?: boolean;
  /**
   * Whether the files restore what an earlier version accepted, which may include invisible
   * characters, and variants or ticket types that share an ID.
   */
  isRestored?: boolean;
};

/**
 * Validates the files of a business and merges them into its stored catalog. Invalid values are
 * deleted from `contents`, so that the rest can be validated too.
 * @returns `merged` is valid only if `issues` is empty; null if the files are too broken to merge
 */
export function validateCatalog(
  contents: unknown[],
  options: ValidateOptions,
): { merged: MergedCatalog | null; issues: CatalogIssue[] } {
  // Several steps of the validation need the stored catalog, which is loaded once.
  const current = memoized(options.current);
  const slug = contents.map(slugIn).find((slugOfFile) => slugOfFile !== undefined);
  const stored = () => (slug === undefined ? null : current(slug));
  const unchanged = findUnchanged(contents, stored());
  const hidden = options.isRestored ? [] : findHiddenCharacters(contents, stored, unchanged);
  const schema = validateSchema(contents, unchanged);
  const schemaPaths = new Set(schema.issues.map(({ path }) => path.join("\0")));
  const issues = [
    ...schema.issues,
    ...hidden.filter(({ path }) => !schemaPaths.has(path.join("\0"))),
  ];
  if (schema.files === null) return { merged: null, issues };

  const { isIncomplete = false } = options;
  const normalised = normaliseOrIssues(schema.files, {
    ...options,
    isIncomplete,
    current,
    unchanged,
    unreadable: schema.unreadable,
  });
  if (!("patch" in normalised)) return { merged: null, issues: [...issues, ...normalised.issues] };

  const merged = mergeCatalog(normalised.current, normalised.patch, options.prune);
  const { refs, kinds } = schema.uncertain;
  // If the slug of a business is unknown, its stored objects are unknown too.
  const areObjectsUnknown = isIncomplete || normalised.patch.business.slug === PLACEHOLDER_SLUG;
  const uncertain = {
    refs: new Set([...refs, ...normalised.unreadableRefs]),
    kinds: areObjectsUnknown ? new Set(ALL_KINDS) : kinds,
  };
  const referenceIssues = [
    ...findReferenceIssues(
      merged.catalog,
      uncertain,
      options.isPartial ? merged.listed : undefined,
    ),
    // Restored files may have parts that share an ID, which an earlier version accepted.
    ...(options.isRestored
      ? []
      : findSharedPartIds(merged.catalog.objects, normalised.current?.objects ?? emptyObjects())),
  ];
  return {
    merged,
    issues: [
      ...issues,
      ...withoutFollowUpIssues(schema.issues, normalised.issues),
      ...referenceIssues.map((issue) => withFilePath(issue, normalised.pathOf)),
      ...findIssuesOfRepeated(merged.catalog, uncertain, normalised.repeated),
    ],
  };
}

/**
 * Returns the reference issues of objects that repeat the key of an earlier object. Nobody knows
 * which of the two is wrong, so both are checked.
 */
function findIssuesOfRepeated(
  { objects }: Catalog,
  uncertain: Uncertain,
  repeated: Normalised["repeated"],
): CatalogIssue[] {
  if (repeated.length === 0) return [];
  const check = createReferenceCheck(objects, uncertain);
  return repeated.flatMap(({ kind, doc, path }) =>
    check(kind, doc).map((issue) => ({
      code: issue.code,
      path: [...path, ...issue.path],
      detail: issue.detail,
    })),
  );
}

/** Returns the normalised files, or the issues because of which they cannot be merged. */
function normaliseOrIssues(
  files: readonly AuthoredFile[],
  options: NormaliseOptions,
): Normalised | { issues: readonly CatalogIssue[] } {
  try {
    const normalised = normaliseCatalog(files, options);
    return "detail" in normalised ? { issues: [normalised] } : normalised;
  } catch (error) {
    if (error instanceof TooManyIssues) return { issues: error.issues };
    throw error;
  }
}

/** @param content a parsed file that is not validated yet */
export function slugIn(content: unknown): string | undefined {
  const slug = (content as { business?: { slug?: unknown } | null } | null)?.business?.slug;
  return typeof slug === "string" ? slug : undefined;
}

/** @param content a parsed file that is not validated yet */
export const describesBusiness = (content: unknown): boolean =>
  ((content ?? {}) as { business?: unknown }).business !== undefined;

/**
 * Converts an issue to one with a path in the files. If the object is stored and in none of the
 * files, the path is that of the first file.
 */
function withFilePath(
  { code, kind, key, path, detail }: ReferenceIssue,
  pathOf: (kind: ReferenceIssue["kind"], key: string) => Path | undefined,
): CatalogIssue {
  const objectPath = pathOf(kind, key);
  if (objectPath !== undefined) return { code, path: [...objectPath, ...path], detail };
  return {
    code,
    path: [0],
    detail: `The ${KIND_NAMES[kind]} ${quote(key)} is stored on the server but not in these files: ${detail}`,
  };
}

/**
 * Applies the rules of catalog files to an object that a command edited.
 * @param isPartial whether `current` may contain only the objects to which `doc` refers
 * @throws AppError validation_failed that lists every issue
 */
export function assertValidObject<K extends Kind>(
  current: Catalog,
  kind: K,
  doc: DocOf[K],
  isPartial: boolean,
): void {
  const { business } = current;
  const objects = { ...emptyObjects(), [kind]: [doc] };
  const file = exportCatalog({ business, schedule: emptySchedule(), objects });
  readEdit(current, file, `${KIND_NAMES[kind]} ${quote(doc.key)}`, isPartial);
}

/**
 * Applies the rules of catalog files to a catalog that a command edited.
 * @param label the name of the edit in the error
 * @throws AppError validation_failed that lists every issue
 */
export function assertValidEdit(current: Catalog, edited: Catalog, label: string): void {
  // The edit left a document unchanged if `current` has the identical object.
  const stored = new Set<DocOf[Kind]>(Object.values(current.objects).flat());
  const objects = Object.fromEntries(
    Object.entries(edited.objects).map(([kind, docs]) => [
      kind,
      (docs as DocOf[Kind][]).filter((doc) => !stored.has(doc)),
    ]),
  ) as unknown as CatalogObjects;
  readEdit(current, exportCatalog({ ...edited, objects }), label);
  // `readEdit` merges into `current`, which still has the objects that the edit deleted. References
  // to them are found here.
  assertNoIssues(findReferenceIssues(edited), label);
}

/**
 * Validates the file of a command by the rules of catalog files, and returns the result of merging
 * it into `current`.
 * @throws AppError validation_failed that lists every issue
 */
export function readEdit(
  current: Catalog,
  file: Partial<AuthoredFile>,
  label: string,
  isPartial = false,
): Catalog {
  const { merged, issues } = validateCatalog(
    [{ catalog: 1, business: writeBusiness(current.business), ...file }],
    { current: () => current, prune: false, seedingAt: null, isPartial },
  );
  assertNoIssues(issues, label);
  return (merged as MergedCatalog).catalog;
}

function assertNoIssues(issues: readonly { code: string; detail: string }[], label: string): void {
  const [first] = issues;
  if (first === undefined) return;
  throw new AppError("validation_failed", `Invalid ${label}: ${first.detail}`, {
    issues: issues.map(({ code, detail }) => ({ code, detail })),
  });
}
