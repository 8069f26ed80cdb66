import { currencyChangeText } from "../../domain/currency.ts";
import { AppError } from "../../domain/errors.ts";
import type { MassDelete } from "../../domain/catalog/change/diff.ts";
import type { Runtime } from "../runtime.ts";
import { assertNoAffectedVisits, cancelAffectedVisits } from "./affected-visits.ts";
import { auditChange, changeCatalog } from "./change-catalog.ts";
import { type ChangeResult, planChange, type LoadedCatalog } from "./plan-change.ts";
import {
  type CatalogFile,
  type CatalogSource,
  parseSources,
  readCatalogs,
} from "./read-catalog.ts";
import { groupByBusiness } from "./business-files.ts";
import type { MergedCatalog } from "../../domain/catalog/change/merge.ts";
import { loadCatalog } from "./load-catalog.ts";

export type ApplyOptions = {
  /** Delete objects that are missing from the sections in the files. */
  prune?: boolean;
  /** Allow pruning more than a fifth of a kind. */
  allowMassDelete?: boolean;
  /** Cancel future bookings, reservations and ticket orders of deleted objects. */
  cancelAffected?: boolean;
  /** Accept the prices in the files as amounts in another currency than until now. */
  acceptCurrencyChange?: boolean;
  onStep?: (step: string) => void;
  /** Epoch ms from which `startsIn` counts; absent: `startsIn` is not allowed. */
  seedingAt?: number;
};

/**
 * @throws AppError invalid_input with all issues of the files; conflict if another process
 *   changed the catalog in the meantime
 */
export function applyCatalog(
  rt: Runtime,
  sources: CatalogSource[],
  options: ApplyOptions = {},
): ChangeResult {
  const [read] = readBusinesses(rt, () => [parseSources(sources)], options);
  return applyBusiness(rt, read as ReadBusiness, options);
}

export type RejectedBusiness = { slug: string; error: AppError };

/**
 * Applies the files of one or several businesses, each business in its own transaction.
 * @throws AppError before anything is written: invalid_input with all issues of all files;
 *   state_refuses for what needs an option. A single business throws what `applyCatalog` throws
 */
export function* applyCatalogs(
  rt: Runtime,
  sources: CatalogSource[],
  options: ApplyOptions = {},
): Generator<ChangeResult | RejectedBusiness> {
  const businesses = readBusinesses(rt, () => groupByBusiness(parseSources(sources)), options);
  if (businesses.length === 1)
    return yield applyBusiness(rt, businesses[0] as ReadBusiness, options);
  if (!rt.isDryRun())
    assertAllowed(
      businesses.map((read) => planBusiness(rt, read)),
      options,
    );
  for (const read of businesses) yield tryBusiness(rt, read, { ...options, onStep: () => {} });
}

function tryBusiness(
  rt: Runtime,
  read: ReadBusiness,
  options: ApplyOptions,
): ChangeResult | RejectedBusiness {
  try {
    return applyBusiness(rt, read, options);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { slug: read.catalog.business.slug, error };
  }
}

/** `files`: their names. */
type ReadBusiness = MergedCatalog & { loaded: LoadedCatalog; files: string[] };

/** @param parse returns the files of each business, which are freed when this function returns */
function readBusinesses(
  rt: Runtime,
  parse: () => CatalogFile[][],
  { prune = false, seedingAt, onStep = () => {} }: ApplyOptions,
): ReadBusiness[] {
  onStep("reading the files");
  const loaded = new Map<string, LoadedCatalog>();
  const groups = parse();
  const catalogs = readCatalogs(groups, {
    prune,
    seedingAt: seedingAt ?? null,
    current: (slug) => {
      const business = rt.store.businesses.findBySlug(slug) ?? null;
      const stored = business && loadCatalog(rt, business);
      loaded.set(slug, { business, stored });
      return stored && stored.catalog;
    },
  });
  return catalogs.map((merged, index) => ({
    ...merged,
    files: groups[index]?.map(({ name }) => name) ?? [],
    loaded: loaded.get(merged.catalog.business.slug) ?? { business: null, stored: null },
  }));
}

const planBusiness = (rt: Runtime, { catalog, listed, loaded }: ReadBusiness): ChangeResult =>
  planChange(rt, catalog, { listed }, loaded).result;

/** Before the first business is written, because a mistake in one is often one in all. */
function assertAllowed(
  plans: readonly ChangeResult[],
  { acceptCurrencyChange, allowMassDelete, cancelAffected }: ApplyOptions,
): void {
  if (!cancelAffected) for (const { affected } of plans) assertNoAffectedVisits(affected);
  if (!acceptCurrencyChange) plans.forEach(assertSameCurrency);
  if (!allowMassDelete)
    assertNoMassDeletes(
      plans.flatMap(({ slug, massDeletes }) => massDeletes.map((found) => ({ ...found, slug }))),
    );
}

function applyBusiness(
  rt: Runtime,
  read: ReadBusiness,
  { acceptCurrencyChange, allowMassDelete, cancelAffected, onStep = () => {} }: ApplyOptions,
): ChangeResult {
  onStep("comparing with the stored catalog");
  // No transaction: with a large catalog it would block other writers for seconds.
  if (rt.isDryRun()) return planBusiness(rt, read);
  const { catalog: next, listed, loaded, files } = read;
  const { slug } = next.business;
  return rt.tx(() => {
    const version = rt.store.businesses.findBySlug(slug)?.catalogVersion;
    if (version !== loaded.business?.catalogVersion)
      throw new AppError(
        "conflict",
        `The catalog of ${slug} was changed by another process in the meantime.`,
        { fix: "run the same command again" },
      );
    if (cancelAffected) {
      const { affected } = planChange(rt, next, { listed }, loaded).result;
      cancelAffectedVisits(rt, slug, affected);
    }
    const approve = (plan: ChangeResult) => {
      const { massDeletes, changes, events } = plan;
      assertNoAffectedVisits(plan.affected);
      if (!acceptCurrencyChange) assertSameCurrency(plan);
      if (!allowMassDelete) assertNoMassDeletes(massDeletes);
      if (events.length > 0)
        onStep(`writing ${changes.length} changes and ${events.length} events`);
    };
    const unchanged = cancelAffected ? null : loaded;
    const result = changeCatalog(rt, next, { listed }, unchanged, approve);
    auditChange(rt, "catalog.applied", { id: result.businessId, name: slug }, result, { files });
    return result;
  });
}

function assertSameCurrency({ slug, currencyChange }: ChangeResult): void {
  if (currencyChange === null) return;
  throw new AppError(
    "state_refuses",
    `This would change the currency of ${slug} ${currencyChangeText(currencyChange)}. ` +
      "Prices are not converted. Nothing was changed.",
    {
      fix: "check that every price in the files is in the new currency, then add --accept-currency-change",
    },
  );
}

type BusinessMassDelete = MassDelete & { slug?: string };

function assertNoMassDeletes(massDeletes: readonly BusinessMassDelete[]): void {
  if (massDeletes.length === 0) return;
  const parts = massDeletes.map(
    ({ kind, deleted, total, slug }) =>
      `${deleted} of ${total} ${kind}${slug === undefined ? "" : ` of ${slug}`}`,
  );
  throw new AppError(
    "state_refuses",
    `This would delete ${parts.join(", ")}. Nothing was changed.`,
    { fix: "check the output of --dry-run; if this is intended, add --allow-mass-delete" },
  );
}
