import { z } from "zod";
import { AppError, type ValidationIssue } from "../../domain/errors.ts";
import { MAX_MINOR_UNITS } from "../../domain/money.ts";
import { quote, show } from "../../domain/text.ts";

/** An object with field names in camelCase, and the image next to it if there is one. */
export type SquareObject = {
  type: string;
  id: string;
  isDeleted: boolean;
  fields: Fields;
  image: Image | undefined;
};
export type Fields = Record<string, unknown>;
export type Image = z.infer<typeof image>;
export type SquareItem = z.infer<typeof itemData>;
export type Variation = z.infer<typeof variation>;
export type ModifierList = z.infer<typeof modifierListData>;
export type Money = z.infer<typeof money>;

/** Square's SDKs write some whole numbers as texts. */
const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]);
const money = z.looseObject({
  amount: integer.refine((units) => units <= MAX_MINOR_UNITS, "the amount is too large").optional(),
  currency: z.string().optional(),
});
const reference = z.looseObject({ id: z.string() });
const base = z.looseObject({
  type: z.string(),
  id: z.string(),
  isDeleted: z.boolean().default(false),
});
const image = z.looseObject({ url: z.string().optional(), caption: z.string().optional() });

/** Returns the schema of a list in which no ID is repeated. */
const uniqueById = <T extends z.ZodType<{ id: string }>>(item: T) =>
  z
    .array(item)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, "an ID is repeated");

const variation = base.extend({
  itemVariationData: z.looseObject({
    name: z.string().default(""),
    ordinal: integer.optional(),
    pricingType: z.string().optional(),
    priceMoney: money.optional(),
    serviceDuration: integer.optional(),
    availableForBooking: z.boolean().optional(),
  }),
});

const modifierListInfo = z.looseObject({
  modifierListId: z.string(),
  enabled: z.boolean().default(true),
  minSelectedModifiers: integer.optional(),
  maxSelectedModifiers: integer.optional(),
});

const itemData = z.looseObject({
  name: z.string().default(""),
  description: z.string().optional(),
  descriptionPlaintext: z.string().optional(),
  productType: z.string().default("REGULAR"),
  categoryId: z.string().optional(),
  categories: z.array(reference).default([]),
  reportingCategory: reference.optional(),
  imageIds: z.array(z.string()).default([]),
  isArchived: z.boolean().default(false),
  isAlcoholic: z.boolean().default(false),
  modifierListInfo: z.array(modifierListInfo).default([]),
  variations: uniqueById(variation).default([]),
});

const categoryData = z.looseObject({
  name: z.string().default(""),
  imageIds: z.array(z.string()).default([]),
  parentCategory: z.looseObject({ id: z.string().optional() }).optional(),
});

const modifier = base.extend({
  modifierData: z.looseObject({
    name: z.string().default(""),
    ordinal: integer.optional(),
    priceMoney: money.optional(),
    onByDefault: z.boolean().default(false),
  }),
});

const modifierListData = z.looseObject({
  name: z.string().default(""),
  modifierType: z.string().default("LIST"),
  selectionType: z.string().default("MULTIPLE"),
  minSelectedModifiers: integer.optional(),
  maxSelectedModifiers: integer.optional(),
  modifiers: uniqueById(modifier).default([]),
});

const discountData = z.looseObject({
  name: z.string().default(""),
  discountType: z.string().optional(),
  percentage: z.string().optional(),
  amountMoney: money.optional(),
  maximumAmountMoney: money.optional(),
});

/** Advice on what to export. The dashboard's table lacks the IDs, which become keys. */
export const NEEDED_EXPORT =
  "save the JSON response of Square's ListCatalog (API Explorer, GET /v2/catalog/list). The table that Square Dashboard exports (Items, Actions, Export library) is CSV or XLSX: import the CSV with deskbell catalog import csv";

/** The types of objects that are read; all others are skipped. */
export const DATA = {
  ITEM: { field: "itemData", schema: itemData },
  CATEGORY: { field: "categoryData", schema: categoryData },
  MODIFIER_LIST: { field: "modifierListData", schema: modifierListData },
  IMAGE: { field: "imageData", schema: image },
  DISCOUNT: { field: "discountData", schema: discountData },
} as const;

export const isRead = (type: string): type is keyof typeof DATA => Object.hasOwn(DATA, type);

/**
 * Parses a list or search response, a batch upsert, an array, one object, or a map by ID. The
 * values of a map may be wrapped as `{data, image}`.
 * @throws AppError invalid_input
 */
export function parseSquareObjects(parsed: unknown): { objects: SquareObject[]; hasMore: boolean } {
  const file = camelCased(parsed);
  assertNoErrorResponse(file);
  const problems: ValidationIssue[] = [];
  const objects = entriesOf(file).flatMap(([where, entry]): SquareObject[] => {
    const wrapped: Fields = isRecord(entry) && isRecord(entry.data) ? entry : { data: entry };
    const read = base.safeParse(wrapped.data);
    const picture = image.optional().safeParse(wrapped.image);
    problems.push(
      ...problemsIn(where, wrapped.data, read.error),
      ...problemsIn(`${where}.image`, wrapped.image, picture.error),
    );
    if (!read.success || !picture.success) return [];
    const { type, id, isDeleted } = read.data;
    problems.push(...dataProblems(where, read.data));
    return [{ type, id, isDeleted, fields: read.data, image: picture.data }];
  });
  if (problems.length > 0)
    throw new AppError("invalid_input", "Invalid Square catalog.", {
      fix: NEEDED_EXPORT,
      issues: problems.slice(0, 20),
    });
  return {
    objects,
    hasMore: isRecord(file) && typeof file.cursor === "string" && file.cursor !== "",
  };
}

/** @throws AppError invalid_input if the file is a response of Square that has only errors */
function assertNoErrorResponse(file: unknown): void {
  if (!isRecord(file) || !Array.isArray(file.errors) || isResponse(file)) return;
  const errors = file.errors.filter(isRecord);
  const codes = errors.flatMap(({ code }) => (typeof code === "string" ? [quote(code)] : []));
  throw new AppError(
    "invalid_input",
    `This file is no catalog, but an error response of Square with ${codes.length === 0 ? "no code" : `the code ${codes.join(", ")}`}.`,
    {
      fix: NEEDED_EXPORT,
      issues: errors.flatMap(({ detail }) =>
        typeof detail === "string" ? [{ code: "invalid_input", detail }] : [],
      ),
    },
  );
}

/** Returns whether a response of Square has objects. */
const isResponse = (file: Fields): boolean =>
  ["object", "objects", "batches"].some((name) => name in file);

/** Returns the data of an object that `parseSquareObjects` has validated. */
export const dataOf = <T extends keyof typeof DATA>(
  type: T,
  object: SquareObject,
): z.infer<(typeof DATA)[T]["schema"]> =>
  DATA[type].schema.parse(object.fields[DATA[type].field] ?? {}) as z.infer<
    (typeof DATA)[T]["schema"]
  >;

/** Returns the objects of a file, each with its place for error messages. */
function entriesOf(file: unknown): [where: string, entry: unknown][] {
  if (Array.isArray(file)) return file.map((entry, at) => [`[${at}]`, entry]);
  if (!isRecord(file)) return [["the file", file]];
  if (typeof file.type === "string" && typeof file.id === "string") return [["the file", file]];
  const lists = [file.object === undefined ? [] : [file.object], file.objects, file.relatedObjects];
  if (Array.isArray(file.batches))
    lists.push(...file.batches.map((batch) => (isRecord(batch) ? batch.objects : [batch])));
  const listed = lists.flatMap((list) => (list === undefined ? [] : list));
  return isResponse(file)
    ? listed.map((entry, at) => [`objects[${at}]`, entry])
    : Object.entries(file);
}

function dataProblems(
  where: string,
  fields: Fields & { type: string; isDeleted: boolean },
): ValidationIssue[] {
  if (!isRead(fields.type) || fields.isDeleted) return [];
  const { field, schema } = DATA[fields.type];
  const data = fields[field];
  return problemsIn(`${where}.${field}`, data, schema.safeParse(data).error);
}

/**
 * What a value must be, by its type in zod. A value of any type not listed must be a whole number.
 */
const NOUNS: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "a group of fields",
};

const problemsIn = (
  where: string,
  value: unknown,
  error: z.ZodError | undefined,
): ValidationIssue[] =>
  (error?.issues ?? []).map((issue) => {
    const found = issue.path.reduce<unknown>(
      (inner, part) => (inner as Record<PropertyKey, unknown> | undefined)?.[part],
      value,
    );
    const noun = issue.code === "invalid_type" ? NOUNS[issue.expected] : undefined;
    const expected = `must be ${noun ?? "a whole number"}`;
    return {
      code: "invalid_input",
      detail:
        issue.code === "custom"
          ? issue.message
          : found === undefined
            ? `is missing; it ${expected}`
            : `${expected}, not ${show(found)}`,
      place: `${where}${issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("")}`,
    };
  });

// The maximum depth of nesting. Objects of Square have about twelve levels.
const MAX_DEPTH = 100;

/**
 * Converts field names to camelCase and drops nulls: the API writes `item_data`, the SDKs
 * `itemData`. The IDs in a map by ID stay as they are.
 */
function camelCased(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH)
    throw new AppError(
      "invalid_input",
      `Invalid Square catalog: it is nested more than ${MAX_DEPTH} levels deep.`,
      {
        fix: "Use the unmodified JSON response of Square's Catalog API.",
      },
    );
  if (Array.isArray(value)) return value.map((one) => camelCased(one, depth + 1));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  const isMapById =
    depth === 0 &&
    entries.every(([, inner]) => isRecord(inner) && ("data" in inner || "type" in inner));
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      isMapById ? name : toCamel(name),
      camelCased(inner, depth + 1),
    ]),
  );
}

const toCamel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
