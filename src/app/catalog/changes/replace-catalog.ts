import type { AuditAction } from "../../../domain/audit.ts";
import { KIND_NAMES } from "../../../domain/catalog/catalog.ts";
import type { MassDelete } from "../../../domain/catalog/change/diff.ts";
import { lossesText } from "../../../domain/catalog/change/losses.ts";
import { repricingText } from "../../../domain/catalog/change/repricing.ts";
import { currencyChangeText } from "../../../domain/money.ts";
import { AppError } from "../../../domain/errors.ts";
import { countOf } from "../../../domain/text.ts";
import type { Runtime } from "../../runtime.ts";
import {
  assertNoAffectedVisits,
  type CancelAffected,
  withCancellations,
} from "./affected-visits.ts";
import { auditChange, changeCatalog, type NextCatalog, planNext } from "./change-catalog.ts";
import type { ChangeResult, LoadedCatalog } from "./plan-change.ts";

/** The next catalog of a business, from catalog files or from its history. */
export type Replacement = NextCatalog & {
  loaded: LoadedCatalog;
  /** The entry of the replacement in the audit log. */
  audited: { action: AuditAction; details: Record<string, unknown> };
};

/** Options that each allow a consequence for which a replacement is otherwise refused. */
export type Permissions = {
  /** Allows deleting more than a fifth of the objects of a kind. */
  allowMassDelete?: boolean;
  /** Cancels the future visits of deleted objects. */
  cancelAffected?: CancelAffected | undefined;
  /** Accepts the prices in the files as amounts in the new currency. */
  acceptCurrencyChange?: boolean;
  /**
   * Allows a change to undo local edits, to empty lists, to set prices to 0, and to change many
   * prices by more than half. `true` allows all of this, "except prices" all but the changes of
   * prices, and an `UnconfirmedChange` exactly the losses that it lists.
   */
  confirmed?: boolean | "except prices" | UnconfirmedChange;
};

/** Thrown for a change that someone must confirm first. */
export class UnconfirmedChange extends AppError {
  readonly losses: string;

  /** @param losses what the change takes away */
  constructor(losses: string) {
    super("state_refuses", `This would ${losses}. Nothing was changed.`, {
      fix: "check the output of --dry-run; if this is intended, add --yes",
    });
    this.losses = losses;
  }
}

type ReplaceOptions = Permissions & { onStep?: (step: string) => void };

export const planReplacement = (rt: Runtime, replacement: Replacement): ChangeResult =>
  rt.read(() => planNext(rt, replacement).result);

/**
 * Replaces the catalog of one business in one transaction; in a dry run, it only plans.
 * @throws AppError state_refuses if the change needs an option; conflict if another process
 *   changed the catalog since it was loaded
 */
export function replaceCatalog(
  rt: Runtime,
  replacement: Replacement,
  { onStep = () => {}, ...permissions }: ReplaceOptions,
): ChangeResult {
  onStep("comparing with the stored catalog");
  const { cancelAffected } = permissions;
  // A dry run plans without a transaction, which would block other writers for seconds if the
  // catalog is large.
  if (rt.isDryRun()) {
    const planned = planReplacement(rt, replacement);
    return withCancellations(
      rt,
      cancelAffected,
      () => planned,
      () => planned,
    );
  }
  const { catalog, loaded, audited } = replacement;
  const { slug } = catalog.business;
  const { action, details } = audited;
  return rt.tx(() => {
    const version = rt.store.businesses.findBySlug(slug)?.catalogVersion;
    if (version !== loaded.business?.catalogVersion)
      throw new AppError(
        "conflict",
        `The catalog of ${slug} was changed by another process in the meantime.`,
        { fix: "run the same command again" },
      );
    const approve = (plan: ChangeResult) => {
      // Every visit that can be cancelled has been cancelled before, so a visit that is left is a
      // reason to refuse the change.
      assertAllowed([plan], { ...permissions, cancelAffected: undefined });
      const { businessId, changes, events } = plan;
      if (events.length > 0)
        onStep(`writing ${changes.length} changes and ${events.length} events`);
      return auditChange(rt, action, { id: businessId, name: slug }, plan, details);
    };
    // The cancellations have changed the stock of the loaded catalog, so it is loaded again.
    const unchanged = cancelAffected ? null : loaded;
    return withCancellations(
      rt,
      cancelAffected,
      () => planReplacement(rt, replacement),
      () => changeCatalog(rt, { ...replacement, loaded: unchanged }, approve),
    );
  });
}

/** Returns what `replaceCatalog` would return, and changes nothing. */
export function previewReplacement(
  rt: Runtime,
  replacement: Replacement,
  permissions: Permissions,
): ChangeResult {
  const endDryRun = rt.startDryRun();
  try {
    return replaceCatalog(rt, replacement, permissions);
  } finally {
    endDryRun();
  }
}

/** @throws AppError state_refuses */
export function assertAllowed(
  plans: readonly ChangeResult[],
  { acceptCurrencyChange, allowMassDelete, cancelAffected, confirmed }: Permissions,
): void {
  if (!cancelAffected) plans.forEach(assertNoAffectedVisits);
  if (!acceptCurrencyChange) plans.forEach(assertSameCurrency);
  if (!allowMassDelete) assertNoMassDeletes(plans);
  if (confirmed !== true)
    assertConfirmed(listLosses(plans, confirmed, allowMassDelete === true), confirmed);
}

const listLosses = (
  plans: readonly ChangeResult[],
  confirmed: Permissions["confirmed"],
  areDeletesAllowed: boolean,
): string[] =>
  plans.flatMap((plan) => {
    const text =
      confirmed === "except prices"
        ? plan.repricing && repricingText(plan.repricing, plan)
        : lossesText(plan, areDeletesAllowed);
    return text === null ? [] : [plans.length > 1 ? `${text} in ${plan.slug}` : text];
  });

/**
 * Asserts that `losses` is empty, or that `confirmed` is an error that listed exactly these losses:
 * another process may have added losses since that error.
 * @param losses the losses that no other option has confirmed
 */
export function assertConfirmed(
  losses: readonly string[],
  confirmed: Permissions["confirmed"],
): void {
  if (losses.length === 0) return;
  const unconfirmed = new UnconfirmedChange(losses.join("; "));
  const isConfirmed =
    confirmed instanceof UnconfirmedChange && confirmed.losses === unconfirmed.losses;
  if (!isConfirmed) throw unconfirmed;
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

function assertNoMassDeletes(plans: readonly ChangeResult[]): void {
  const found = plans.flatMap(({ slug, massDeletes }) =>
    massDeletes.map((massDelete) => massDeleteText(massDelete, plans.length > 1 ? slug : null)),
  );
  if (found.length === 0) return;
  throw new AppError(
    "state_refuses",
    `This would delete ${found.join(", ")}. Nothing was changed.`,
    { fix: "check the output of --dry-run; if this is intended, add --allow-mass-delete" },
  );
}

const massDeleteText = ({ kind, deleted, total }: MassDelete, slug: string | null): string =>
  `${deleted} of ${countOf(total, KIND_NAMES[kind])}${slug === null ? "" : ` of ${slug}`}`;
