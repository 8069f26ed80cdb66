import type { DocOf, Kind, Status } from "../../domain/catalog/catalog.ts";
import { getByKeyOrId, listCommandFor } from "../../app/catalog/objects.ts";
import { KIND_NAMES } from "../../domain/catalog/kind-names.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import { parseMoney } from "../../domain/money.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { choice, text } from "../flags.ts";

/** The objects of a kind as their author wrote them, each with its id. */
export const listObjects = <K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
): (DocOf[K] & { id: string })[] => {
  const withId = (doc: DocOf[K]) => ({ id: objectId(kind, business.slug, doc), ...doc });
  return rt.store.catalog.listObjects(business.id)[kind].map(withId);
};

/** The one that a person names by its author's key or its id. */
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

/** What every `set` command can change. */
export const editFlags = {
  price: text("amount", "new price, such as 45.00"),
  name: text("name", "new name"),
  status: choice(
    ["ACTIVE", "INACTIVE", "ARCHIVED"],
    "ACTIVE is public, INACTIVE hidden, ARCHIVED put away",
  ),
};

/** The fields of a document that a `set` command was given. */
export type Edits = {
  priceCents?: number | undefined;
  name?: string | undefined;
  durationMin?: number | undefined;
  status?: Status | undefined;
};

const LONGEST_NAME = 200;

export function parseEdits(
  { price, ...edits }: Omit<Edits, "priceCents"> & { price: string | undefined },
  currency: string,
): Edits {
  const { name } = edits;
  if (
    name !== undefined &&
    (name.trim() === "" || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
  )
    throw new AppError("usage", `--name must have 1 to ${LONGEST_NAME} characters on one line.`);
  const all = {
    ...edits,
    priceCents: price === undefined ? undefined : readPrice(price, currency),
  };
  if (Object.values(all).some((value) => value !== undefined)) return all;
  throw new AppError("usage", "Nothing was named to change.", {
    fix: "add --price, --name or another option: see --help",
  });
}

function readPrice(price: string, currency: string): number {
  const reading = parseMoney(price, currency);
  if ("units" in reading) return reading.units;
  throw new AppError("usage", `--price ${reading.problem}.`);
}

/** The document with what was given; what was not stays. */
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
      `The priceType of ${doc.key} is ${priceType}: it has no price to change.`,
      {
        fix: "give it another priceType in its catalog file and apply that",
      },
    );
  return {
    ...doc,
    ...Object.fromEntries(Object.entries(edits).filter(([, value]) => value !== undefined)),
  };
}

/** The parts of a document, its variants or sizes, with one of them edited. */
export function withEditedPart<Part extends { key: string; id?: string }>(
  parts: readonly Part[],
  what: string,
  name: string,
  edits: Edits,
): Part[] {
  const keys = parts.map(({ key }) => key).join(", ");
  const chosen = getByKeyOrId(
    parts,
    `There is no ${what}`,
    name,
    ({ id, key }) => id ?? key,
    keys === "" ? `it has none: leave --${what} out` : `name one of: ${keys}`,
  );
  return parts.map((part) => (part === chosen ? withEdits(part, edits) : part));
}
