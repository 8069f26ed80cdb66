import { getByKeyOrId } from "../../app/catalog/objects.ts";
import type { CatalogStatus } from "../../domain/catalog/common.ts";
import { toSlugLetters } from "../../domain/catalog/file/public-events.ts";
import { type Currency, parseMoneyCell, parseMoney } from "../../domain/money.ts";
import { AppError } from "../../domain/errors.ts";
import { usageError } from "../failure.ts";
import { choice, text } from "../flags.ts";
import { toKeyAmong } from "./by-name.ts";

export const description = text("text", "new description; '' removes it");

export const editFlags = {
  price: text("amount", "new price, such as 45.00"),
  name: text("name", "new name"),
  description,
  status: choice(
    ["ACTIVE", "INACTIVE", "ARCHIVED"],
    "new status: ACTIVE is public, INACTIVE is hidden, ARCHIVED is retired",
  ),
};

export type Edits = {
  priceCents?: number | undefined;
  name?: string | undefined;
  description?: string | null | undefined;
  durationMin?: number | undefined;
  status?: CatalogStatus | undefined;
};

type GivenEdits = Omit<Edits, "priceCents"> & { price: string | undefined };

export function parseEdits({ price, ...edits }: GivenEdits, currency: Currency): Edits {
  const priceCents = price === undefined ? undefined : parsePrice(price, currency);
  return parseTexts({ ...edits, priceCents });
}

const MAX_NAME_CHARS = 200;
const MAX_KEY_CHARS = 80;
/** Optional fields. An empty text removes their value. */
const OPTIONAL_TEXTS = new Set(["description", "title", "bio", "code"]);

/**
 * Checks the new name and returns the fields; an empty text of an optional field becomes null.
 * @throws AppError usage if no field is given or the name is not valid
 */
export function parseTexts<Fields extends { name?: string | undefined }>(fields: Fields): Fields {
  const { name } = fields;
  if (
    name !== undefined &&
    (name.trim() === "" || name.length > MAX_NAME_CHARS || /\p{Cc}/u.test(name))
  )
    throw usageError(`--name must have 1 to ${MAX_NAME_CHARS} characters on one line.`);
  if (Object.values(fields).every((value) => value === undefined))
    throw usageError("There is nothing to update.", "add --name or another option (see --help)");
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) =>
      OPTIONAL_TEXTS.has(field) && typeof value === "string"
        ? [field, value.trim() || null]
        : [field, value],
    ),
  ) as Fields;
}

/** Returns the document with the given fields; a field that is undefined keeps its value. */
export const withGiven = <Doc extends object>(doc: Doc, fields: object): Doc => ({
  ...doc,
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
});

/**
 * Returns a key made from a name.
 * @throws AppError usage if the name has no letter or digit that a key can have
 */
export function keyFromName(name: string): string {
  const key = toSlugLetters(name, MAX_KEY_CHARS);
  if (key !== "") return key;
  throw usageError("The name has no letter from a to z or digit for a key.", "add --key KEY");
}

/**
 * Runs `work`; its errors name the flags instead of the fields of a catalog file.
 * @param flags the flag of each field, such as `--day` for `days`
 */
export function namingFlags<Result>(
  flags: Readonly<Record<string, string>>,
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
    const rename = (text: string) =>
      text.replaceAll(/'(\w+)'/g, (quoted, field: string) => flags[field] ?? quoted);
    throw new AppError(error.code, rename(error.message), {
      issues: error.issues.map((issue) => ({ ...issue, detail: rename(issue.detail) })),
    });
  }
}

export function parsePrice(price: string, currency: Currency, flag = "--price"): number {
  const cell = parseMoneyCell(price, currency);
  const parsed = "problem" in cell ? cell : parseMoney(cell.amount, currency);
  if ("units" in parsed) return parsed.units;
  throw usageError(`${flag} ${parsed.problem}.`);
}

/** Returns the price type of an object; variants and sizes have none. */
const priceTypeOf = (doc: object): string | undefined => (doc as { priceType?: string }).priceType;

/** Returns whether an object has a price of its own: it is neither free nor on request. */
export const hasPrice = (doc: object): boolean =>
  ["FIXED", "FROM", undefined].includes(priceTypeOf(doc));

/**
 * Returns the document with the edits applied.
 * @throws AppError state_refuses if the object has no price to change
 */
export function withEdits<Doc extends { key: string }>(doc: Doc, edits: Edits): Doc {
  if (edits.priceCents !== undefined && !hasPrice(doc))
    throw new AppError(
      "state_refuses",
      `'${doc.key}' has no price to change: its priceType is ${priceTypeOf(doc)}.`,
      {
        fix: "change its priceType in the catalog file, then run deskbell catalog apply FILE",
      },
    );
  return withGiven(doc, edits);
}

/** The variants of a service or the sizes of a dish, and which of them to edit. */
export type PartSelection<Part> = {
  noun: "variant" | "size";
  parts: Part[];
  /** The key, ID or name of the part to edit. */
  selected: string | undefined;
  /** The flag --all: every part gets the new price and duration. */
  all: boolean;
  /**
   * Whether guests always book or buy a part, so that a price of the object alone has no effect.
   */
  isPartRequired: boolean;
};

/**
 * Returns the parts with the edits applied to the selected ones; the same array if no part is
 * edited.
 * @throws AppError usage if a price or duration is set and it is not clear for which part
 */
export function withEditedParts<Part extends { key: string; name: string; id?: string }>(
  { noun, parts, selected, all, isPartRequired }: PartSelection<Part>,
  edits: Edits,
): Part[] {
  const { priceCents, durationMin } = edits;
  const keys = parts.map(({ key }) => key).join(", ");
  if (all && selected !== undefined)
    throw usageError(`--all cannot be combined with --${noun}.`, `leave out --all or --${noun}`);
  if (all) return parts.map((part) => withEdits(part, { priceCents, durationMin }));
  if (selected !== undefined) {
    const chosen = getByKeyOrId(
      parts,
      `There is no ${noun}`,
      toKeyAmong(parts, selected),
      ({ id, key }) => id ?? key,
      keys === "" ? `it has none; leave --${noun} out` : `use one of: ${keys}`,
    );
    return parts.map((part) => (part === chosen ? withEdits(part, edits) : part));
  }
  if (isPartRequired && (priceCents !== undefined || durationMin !== undefined))
    throw usageError(
      `It is not clear which ${noun} gets the new price or duration: ${keys}.`,
      `add --${noun} KEY, or --all to change every ${noun}`,
    );
  return parts;
}
