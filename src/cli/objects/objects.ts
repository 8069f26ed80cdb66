import { type DocOf, type Kind, type BusinessDoc } from "../../domain/catalog/catalog.ts";
import { describeOwner, slugOf } from "../../app/businesses.ts";
import { FEATURES } from "../../features/index.ts";
import { shellQuote } from "../../domain/text.ts";
import { getStoredObject } from "../../app/catalog/objects.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { usageError } from "../failure.ts";
import { formatInstant } from "../../domain/local-time.ts";
import { command, type CommandSpec } from "../command.ts";
import type { Column } from "../output/table.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import type { ListedKey } from "../../store/keys.ts";
import type { Cli } from "../cli.ts";
import { toKey } from "./by-name.ts";

export const listObjects = <K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
): (DocOf[K] & { id: string })[] => {
  const withId = (doc: DocOf[K]) => ({ id: objectId(kind, business.slug, doc), ...doc });
  return rt.store.catalog.listByKind(business.id, kind).map(withId);
};

/**
 * Returns the object with this key, ID or name.
 * @throws AppError resource_not_found; usage for an ambiguous name
 */
export const resolveObject = <K extends Kind>(
  rt: Runtime,
  business: BusinessRow,
  kind: K,
  name: string,
): DocOf[K] & { id: string } => {
  const doc = getStoredObject(rt, business, kind, toKey(rt, business, kind, name));
  return { id: objectId(kind, business.slug, doc), ...doc };
};

/** Returns the key of an object, or its ID if it was deleted. */
export const keyOf = (rt: Runtime, id: string): string => rt.store.catalog.findKey(id) ?? id;

/** Describes the `list` and `show` commands of a kind of catalog object. */
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

/** Returns the `list` and `show` commands of a kind of catalog object. */
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
      const allColumns: Column<{ id: string; key: string; name: string; status: string }>[] = [
        "key",
        "name",
        // TypeScript cannot relate the columns of `K` to these rows; the type `[]` fits every list.
        ...(columns(business.doc) as []),
        { title: "STATUS", value: "status", noTruncate: true },
        { title: "ID", value: "id", noTruncate: true, optional: true },
      ];
      const empty = `${business.slug} has no ${noun}.`;
      cli.printList(listObjects(rt, business, kind), allColumns as [], empty);
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

type Named = { id: string; name: string; businessId: string | null };

/**
 * Returns the key with this ID or name. A name means the key that is not revoked: a new key often
 * has the name of the key that it replaces.
 */
export function resolveKey(cli: Cli, rt: Runtime, name: string): ListedKey {
  const access = name.startsWith("key_") ? rt.store.keys.findById(name) : undefined;
  if (access && access.partnerId !== null && access.businessId !== null)
    throw accessError(rt, access);
  return resolveKeyAmong(cli, rt, name, rt.store.keys.list());
}

/**
 * Returns the key that visits and orders of a business record as their maker. If the named key
 * belongs to a partner, this is the access of the partner to the business.
 */
export function resolveMaker(
  cli: Cli,
  rt: Runtime,
  { id: businessId }: BusinessRow,
  name: string,
): ListedKey {
  const ofBusiness = rt.store.keys.list(businessId);
  const isOfBusiness = ofBusiness.some((key) => key.id === name || key.name === name);
  const key = resolveKeyAmong(cli, rt, name, isOfBusiness ? ofBusiness : rt.store.keys.list());
  if (key.partnerId === null) return key;
  // A partner that was removed and added again has several accesses. The newest is last, and has the
  // visits of the others.
  return ofBusiness.findLast(({ partnerId }) => partnerId === key.partnerId) ?? key;
}

const resolveKeyAmong = (
  cli: Cli,
  rt: Runtime,
  name: string,
  all: readonly ListedKey[],
): ListedKey =>
  resolveNamed(cli, rt, name, {
    noun: "key",
    group: "keys",
    all,
    hasEnded: ({ revokedAt }) => revokedAt !== null,
  });

/** Returns the error for a command that is given the access of a partner in place of a key. */
function accessError(rt: Runtime, access: ListedKey): AppError {
  const slug = slugOf(rt, access.businessId ?? "");
  const group = FEATURES.find(({ partnerCommands }) => partnerCommands)?.partnerCommands;
  // `describeOwner` names the partner if there is no `businessId`.
  const partner = describeOwner(rt, { ...access, businessId: null });
  const name = shellQuote(access.name);
  return new AppError(
    "state_refuses",
    `${access.id} is the access of ${partner} to ${slug}, and has the settings of the partner.`,
    {
      fix: `to rotate a key of the partner, take its ID from deskbell ${group} show ${name}; to end the access, run deskbell ${group} exclude ${name} --business ${slug}`,
    },
  );
}

export const resolveEndpoint = (cli: Cli, rt: Runtime, name: string): EndpointRow =>
  resolveNamed(cli, rt, name, {
    noun: "webhook endpoint",
    group: "webhooks",
    all: rt.store.endpoints.list(),
    describe: ({ url }) => new URL(url).host,
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
export function resolveNamed<Row extends Named>(
  cli: Cli,
  rt: Runtime,
  name: string,
  {
    noun,
    group,
    all,
    describe,
    hasEnded = () => false,
  }: {
    noun: string;
    /** The group of commands, such as `keys`. */
    group: string;
    /** The rows of all businesses. */
    all: readonly Row[];
    /** Returns a detail that tells rows of the same name apart. */
    describe?: (row: Row) => string;
    /** Returns whether a row has ended: such a row counts only if no other row has the name. */
    hasEnded?: (row: Row) => boolean;
  },
): Row {
  const rowWithId = all.find(({ id }) => id === name);
  if (rowWithId) return rowWithId;
  const businessId = cli.businessId(rt);
  // A row without a business, such as the key of a partner, may belong to several businesses.
  const selected = all.filter(
    (row) => businessId === undefined || row.businessId === null || row.businessId === businessId,
  );
  const namesakes = selected.filter((row) => row.name === name);
  const current = namesakes.filter((row) => !hasEnded(row));
  const [found, ...others] = current.length > 0 ? current : namesakes;
  if (!found) {
    const names = selected.map((row) => row.name);
    throw new AppError(
      "resource_not_found",
      `There is no ${noun} '${name}'.${didYouMean(name, names)}`,
      {
        fix: `deskbell ${group} list`,
      },
    );
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map((row) =>
    describe === undefined ? row.id : `${row.id} (${describe(row)})`,
  );
  throw usageError(
    `The name '${name}' is ambiguous: ${ids.join(", ")}.`,
    `use the ID instead (see deskbell ${group} list)`,
  );
}
