import {
  type DocOf,
  type Kind,
  type Status,
  type BusinessDoc,
} from "../../domain/catalog/catalog.ts";
import { getByKeyOrId, getStoredObject } from "../../app/catalog/objects.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import type { Currency } from "../../domain/currency.ts";
import { parseMoney } from "../../domain/money.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { choice, text } from "../flags.ts";
import { usageError } from "../failure.ts";
import { formatInstant } from "../../domain/local-time.ts";
import { command, type CommandSpec } from "../command.ts";
import type { Column } from "../output/table.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import type { ListedKey } from "../../store/keys.ts";
import type { Cli } from "../cli.ts";

export const listObjects = <K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
): (DocOf[K] & { id: string })[] => {
  const withId = (doc: DocOf[K]) => ({ id: objectId(kind, business.slug, doc), ...doc });
  return rt.store.catalog.listByKind(business.id, kind).map(withId);
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
): DocOf[K] & { id: string } => {
  const doc = getStoredObject(rt, business, kind, name);
  return { id: objectId(kind, business.slug, doc), ...doc };
};

/** Returns the key of an object, or its ID if it was deleted. */
export const keyOf = (rt: Runtime, id: string): string => rt.store.catalog.findKey(id) ?? id;

export const editFlags = {
  price: text("amount", "new price, such as 45.00"),
  name: text("name", "new name"),
  status: choice(
    ["ACTIVE", "INACTIVE", "ARCHIVED"],
    "new status: ACTIVE is public, INACTIVE is hidden, ARCHIVED is retired",
  ),
};

export type Edits = {
  priceCents?: number | undefined;
  name?: string | undefined;
  durationMin?: number | undefined;
  status?: Status | undefined;
};

const MAX_NAME_CHARS = 200;

export function parseEdits(
  { price, ...edits }: Omit<Edits, "priceCents"> & { price: string | undefined },
  currency: Currency,
): Edits {
  const { name } = edits;
  if (
    name !== undefined &&
    (name.trim() === "" || name.length > MAX_NAME_CHARS || /\p{Cc}/u.test(name))
  )
    throw usageError(`--name must have 1 to ${MAX_NAME_CHARS} characters on one line.`);
  const all = {
    ...edits,
    priceCents: price === undefined ? undefined : parsePrice(price, currency),
  };
  if (Object.values(all).some((value) => value !== undefined)) return all;
  throw usageError(
    "There is nothing to update.",
    "add --price, --name or another option (see --help)",
  );
}

function parsePrice(price: string, currency: Currency): number {
  const parsed = parseMoney(price, currency);
  if ("units" in parsed) return parsed.units;
  throw usageError(`--price ${parsed.problem}.`);
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

/** The variants of a service or the sizes of a dish, and which of them to edit. */
export type PartSelection<Part> = {
  noun: "variant" | "size";
  parts: Part[];
  /** A key or ID. */
  selected: string | undefined;
  all: boolean;
  /** Nobody buys the object without a part, so its price alone has no effect. */
  isPartRequired: boolean;
};

/**
 * Returns the parts with the edits applied to the selected ones; the same array if no part is edited.
 * @throws AppError usage if a price or duration is set and it is not clear of which part
 */
export function withEditedParts<Part extends { key: string; id?: string }>(
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
      selected,
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

/** Describes the `list` and `show` commands of a kind. */
type ObjectNoun<K extends Kind> = {
  kind: K;
  /** The plural on the command line: `public-events`. */
  noun: string;
  /** A business and the key of an object in it, for the examples of the help. */
  example: { business: string; key: string };
  showExamples?: CommandSpec["examples"];
  about: { list: string; show: string };
  /** The columns between the name and the status. */
  columns: (business: BusinessDoc) => Column<DocOf[K]>[];
  /** Returns the document with its times formatted by `time`. */
  withTimes?: (doc: DocOf[K], time: (ms: number) => string) => object;
};

/** Returns the `list` and `show` commands of a kind. */
export function objectCommands<K extends Kind>({
  kind,
  noun,
  example: { business, key },
  showExamples = [
    `${noun} show ${key} --business ${business}`,
    `${noun} show ${key} --business ${business} --json`,
  ],
  about,
  columns,
  withTimes = (doc) => doc,
}: ObjectNoun<K>): CommandSpec[] {
  const list = command({
    name: "list",
    about: about.list,
    examples: [`${noun} list --business ${business}`, `${noun} list --json`],
    async run(cli) {
      const { rt, business } = await cli.openBusiness();
      const all: Column<{ id: string; key: string; name: string; status: string }>[] = [
        "key",
        "name",
        ...(columns(business.doc) as []),
        { title: "STATUS", value: "status", noTruncate: true },
        { title: "ID", value: "id", noTruncate: true, optional: true },
      ];
      cli.printList(listObjects(rt, business, kind), all as [], `${business.slug} has no ${noun}.`);
    },
  });
  const show = command({
    name: "show",
    about: about.show,
    arguments: [`<${noun.replace(/s$/, "")}>`],
    examples: showExamples,
    async run(cli, _flags, name = "") {
      const { rt, business } = await cli.openBusiness();
      const { id, ...doc } = resolveObject(rt, business, kind, name);
      const time = (ms: number) => formatInstant(ms, business.doc.timezone);
      cli.printObject({ id, ...withTimes(doc as unknown as DocOf[K], time) });
    },
  });
  return [list, show];
}

type Named = { id: string; name: string; businessId: string };

export const resolveKey = (cli: Cli, rt: Runtime, name: string): ListedKey =>
  getOne(cli, rt, name, { noun: "key", group: "keys", all: rt.store.keys.list() });

export const resolveEndpoint = (cli: Cli, rt: Runtime, name: string): EndpointRow =>
  getOne(cli, rt, name, {
    noun: "webhook endpoint",
    group: "webhooks",
    all: rt.store.endpoints.list(),
  });

/**
 * Returns the ID of an endpoint. Accepts the ID of a deleted one, because its deliveries are kept.
 */
export const resolveEndpointId = (cli: Cli, rt: Runtime, name: string): string =>
  name.startsWith("whe_") ? name : resolveEndpoint(cli, rt, name).id;

/**
 * Returns the row with this ID, or with this name if it is unique within the selected businesses.
 * @throws AppError resource_not_found; usage for an ambiguous name
 */
function getOne<Row extends Named>(
  cli: Cli,
  rt: Runtime,
  name: string,
  { noun, group, all }: { noun: string; group: string; all: readonly Row[] },
): Row {
  const named = all.find(({ id }) => id === name);
  if (named) return named;
  const businessId = cli.businessId(rt);
  const own = all.filter((row) => businessId === undefined || row.businessId === businessId);
  const [found, ...others] = own.filter((row) => row.name === name);
  if (!found) {
    const names = own.map((row) => row.name);
    throw new AppError(
      "resource_not_found",
      `There is no ${noun} '${name}'.${didYouMean(name, names)}`,
      {
        fix: `deskbell ${group} list`,
      },
    );
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id);
  throw usageError(
    `The name '${name}' is ambiguous: ${ids.join(", ")}.`,
    `use the ID instead (see deskbell ${group} list)`,
  );
}
