import type { DocOf, Kind, Status } from "../../domain/catalog/catalog.ts";
import { getByKeyOrId, listCommandFor } from "../../app/catalog/objects.ts";
import { KIND_NAMES } from "../../domain/catalog/kind-names.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import { parseMoney } from "../../domain/money.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { choice, text } from "../flags.ts";

/** Returns the stored objects of a kind, each with its ID. */
export const listObjects = <K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
): (DocOf[K] & { id: string })[] => {
  const withId = (doc: DocOf[K]) => ({ id: objectId(kind, business.slug, doc), ...doc });
  return rt.store.catalog.listObjects(business.id)[kind].map(withId);
};

/**
 * Returns the object with this key or ID.
 * @throws AppError resource_not_found
 */
export const resolveObject = <K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
  name: string,
): DocOf[K] & { id: string } =>
  getByKeyOrId(
    listObjects(rt, business, kind),
    `There is no ${KIND_NAMES[kind]}`,
    name,
    ({ id }) => id,
    listCommandFor(kind),
  );

/** The flags that every `update` command of a catalog object has. */
export const editFlags = {
  price: text("amount", "new price, such as 45.00"),
  name: text("name", "new name"),
  status: choice(
    ["ACTIVE", "INACTIVE", "ARCHIVED"],
    "new status: ACTIVE is public, INACTIVE is hidden, ARCHIVED is retired",
  ),
};

/** The new values of an `update` command; undefined keeps a field. */
export type Edits = {
  priceCents?: number | undefined;
  name?: string | undefined;
  durationMin?: number | undefined;
  status?: Status | undefined;
};

const MAX_NAME_CHARS = 200;

export function parseEdits(
  { price, ...edits }: Omit<Edits, "priceCents"> & { price: string | undefined },
  currency: string,
): Edits {
  const { name } = edits;
  if (
    name !== undefined &&
    (name.trim() === "" || name.length > MAX_NAME_CHARS || /\p{Cc}/u.test(name))
  )
    throw new AppError("usage", `--name must have 1 to ${MAX_NAME_CHARS} characters on one line.`);
  const all = {
    ...edits,
    priceCents: price === undefined ? undefined : parsePrice(price, currency),
  };
  if (Object.values(all).some((value) => value !== undefined)) return all;
  throw new AppError("usage", "There is nothing to update.", {
    fix: "add --price, --name or another option (see --help)",
  });
}

function parsePrice(price: string, currency: string): number {
  const parsed = parseMoney(price, currency);
  if ("units" in parsed) return parsed.units;
  throw new AppError("usage", `--price ${parsed.problem}.`);
}

/**
 * Returns the document with the edits applied.
 * @throws AppError state_refuses if the object has no price to change
 */
export function withEdits<Doc extends { key: string }>(doc: Doc, edits: Edits): Doc {
  const { priceType } = doc as { priceType?: string };
  if (
    edits.priceCents !== undefined &&
    priceType !== undefined &&
    priceType !== "FIXED" &&
    priceType !== "FROM"
  )
    throw new AppError(
      "state_refuses",
      `'${doc.key}' has no price to change: its priceType is ${priceType}.`,
      {
        fix: "change its priceType in the catalog file, then run deskbell catalog apply FILE",
      },
    );
  return {
    ...doc,
    ...Object.fromEntries(Object.entries(edits).filter(([, value]) => value !== undefined)),
  };
}

/** Returns the variants or sizes of a document, with the edits applied to one of them. */
export function withEditedPart<Part extends { key: string; id?: string }>(
  parts: readonly Part[],
  noun: string,
  name: string,
  edits: Edits,
): Part[] {
  const keys = parts.map(({ key }) => key).join(", ");
  const chosen = getByKeyOrId(
    parts,
    `There is no ${noun}`,
    name,
    ({ id, key }) => id ?? key,
    keys === "" ? `it has none; leave --${noun} out` : `use one of: ${keys}`,
  );
  return parts.map((part) => (part === chosen ? withEdits(part, edits) : part));
}
