import type { RejectedBusiness } from "../../app/catalog/catalog.ts";
import type { ChangeResult } from "../../app/catalog/changes/plan-change.ts";
import { keptVisitIds } from "../../app/catalog/changes/visits-of-change.ts";
import { emptiedTexts, lossesText, overwrittenNames } from "../../domain/catalog/change/losses.ts";
import type { ObjectChange } from "../../domain/catalog/change/diff.ts";
import { affectedVisitsText, deletedVisitsText } from "../../domain/bookings/affected-visits.ts";
import { countOf, safe } from "../../domain/text.ts";
import { KIND_NAMES } from "../../domain/catalog/catalog.ts";
import { type Currency, currencyChangeText, formatMoney } from "../../domain/money.ts";
import { repricingText } from "../../domain/catalog/change/repricing.ts";
import { FEATURES } from "../../features/index.ts";
import type { Cli } from "../cli.ts";
import { EXIT } from "../failure.ts";
import type { Column } from "./table.ts";

type Result = ChangeResult | RejectedBusiness;

export type ReportOptions = {
  /** Whether the changes were only planned; by default, whether the command is a dry run. */
  dryRun?: boolean;
  /** The flags on the command line that allow parts of the change. */
  allowed?: { cancelAffected?: boolean; acceptCurrencyChange?: boolean; allowMassDelete?: boolean };
};

/**
 * Reports the change of one business with `reportChange`, and the changes of several in a table. If
 * `results` throws, the results before the error are still reported.
 */
export function reportChanges(
  cli: Cli,
  results: Iterable<Result>,
  { dryRun = cli.flags.dryRun, allowed = {} }: ReportOptions = {},
): { exitCode: number; changed: ChangeResult[] } {
  const reported: Result[] = [];
  try {
    for (const result of results) reported.push(result);
  } finally {
    const [first] = reported;
    if (reported.length > 1) reportBusinesses(cli, reported, { dryRun, allowed });
    // An error of a single business is thrown, so its result is never a `RejectedBusiness`.
    else if (first && !isRejected(first)) reportChange(cli, first, { dryRun, allowed });
    if (dryRun && !cli.flags.yes)
      for (const result of reported) if (!isRejected(result)) noteConfirmation(cli, result);
  }
  return {
    exitCode: reported.some(isRejected) ? EXIT.someFailed : EXIT.ok,
    changed: listChanged(reported),
  };
}

/**
 * Notes the command that undoes the changes. A new business has no earlier catalog to go back to.
 */
export function noteUndo(cli: Cli, changed: readonly ChangeResult[]): void {
  const undo = FEATURES.find(({ undoCommand }) => undoCommand !== undefined)?.undoCommand;
  const slugs = changed.filter(({ isNew }) => !isNew).map(({ slug }) => slug);
  if (undo === undefined || slugs.length === 0) return;
  const slug = slugs.length === 1 ? slugs[0] : "SLUG";
  cli.note(`To go back: ${cli.program} ${undo} --business ${slug}`);
}

const isRejected = (result: Result): result is RejectedBusiness => "error" in result;
const isChanged = ({ fromVersion, version }: ChangeResult): boolean => fromVersion !== version;
const listChanged = (results: readonly Result[]): ChangeResult[] =>
  results.flatMap((result) => (isRejected(result) || !isChanged(result) ? [] : [result]));

function reportBusinesses(
  cli: Cli,
  results: readonly Result[],
  { dryRun, allowed }: Required<ReportOptions>,
): void {
  if (cli.flags.json) return cli.printJson({ data: results.map(toJson) });
  const rejected = results.filter(isRejected);
  const changed = listChanged(results);
  if (cli.flags.verbose)
    for (const result of changed) reportChange(cli, result, { dryRun, allowed });
  else {
    if (changed.length > 0) cli.printList(changed, BUSINESS_COLUMNS, "");
    for (const result of changed) {
      noteConsequences(cli, result, dryRun);
      if (dryRun) noteRequiredFlags(cli, result, allowed);
    }
  }
  // Errors are printed even with --quiet.
  for (const { slug, error } of rejected)
    cli.io.stderr.write(`error: ${slug}: ${safe(error.message, 2000)}\n`);
  const events = changed.reduce((sum, result) => sum + result.events.length, 0);
  const deliveries = changed.reduce((sum, result) => sum + result.deliveries, 0);
  const failures = rejected.length > 0 ? `, ${rejected.length} failed` : "";
  cli.note(
    `${countOf(results.length, "business")}: ${changed.length} ${dryRun ? "would change" : "changed"}${failures}, ` +
      `${countOf(events, "event")}, ${countOf(deliveries, "webhook")} to send.`,
  );
}

const toJson = (result: Result): object =>
  isRejected(result)
    ? { slug: result.slug, error: { code: result.error.code, detail: result.error.message } }
    : result;

const BUSINESS_COLUMNS: Column<ChangeResult>[] = [
  { title: "BUSINESS", value: "slug", noTruncate: true },
  { title: "VERSION", value: ({ fromVersion, version }) => `${fromVersion} -> ${version}` },
  { title: "CHANGES", value: summarizeChanges },
  { title: "EVENTS", value: ({ events }) => events.length, align: "right" },
  { title: "WEBHOOKS", value: "deliveries", align: "right" },
];

/** Returns a summary such as `new, 12 services` or `hours, 2 update, 1 delete`. */
function summarizeChanges({ isNew, businessFields, changes }: ChangeResult): string {
  if (isNew) return joinGiven("new", countByKind(changes));
  const actions = [...Map.groupBy(changes, ({ action }) => action)];
  return [...businessFields, ...actions.map(([action, { length }]) => `${length} ${action}`)].join(
    ", ",
  );
}

/** Prints the changed objects on stdout, and a summary with events and webhooks on stderr. */
export function reportChange(
  cli: Cli,
  result: ChangeResult,
  { dryRun = cli.flags.dryRun, allowed = {} }: ReportOptions = {},
): void {
  if (cli.flags.json) return cli.printObject(result);
  const { slug, isNew, fromVersion, version, businessFields, changes, events, deliveries } = result;
  if (!isChanged(result)) return cli.note(`${slug}: no changes.`);
  if (isNew)
    cli.note(`${slug}: ${joinGiven(dryRun ? "would be new" : "new", countByKind(changes))}.`);
  else if (changes.length > 0) cli.printList(changes, columns(result), "");
  if (!isNew && businessFields.length > 0)
    cli.note(`${slug}: ${businessFields.join(", ")} ${dryRun ? "would change" : "changed"}.`);
  noteConsequences(cli, result, dryRun);
  const effects = `${countOf(events.length, "event")}${eventTypes(result.webhooks)}, ${countOf(deliveries, "webhook")} to send`;
  if (!dryRun) return cli.note(`${slug}: version ${fromVersion} -> ${version}, ${effects}.`);
  cli.note(`${slug}: would change version ${fromVersion} -> ${version}, ${effects}.`);
  noteRequiredFlags(cli, result, allowed);
}

/** Notes what the author of a change may not intend, and the visits that it affects. */
function noteConsequences(cli: Cli, result: ChangeResult, dryRun: boolean): void {
  const { slug, isNew, businessFields, changes, overwrittenSections, emptied, repricing } = result;
  // A change that is saved has deleted booked objects only if it has cancelled their visits.
  const cancelled = dryRun ? null : deletedVisitsText(result.affected, result.deletedVisits);
  if (cancelled !== null) cli.note(`${slug}: cancelled ${cancelled}.`);
  // Visits are stored as instants, which do not change. Opening hours are stored as times of day,
  // so they move with the time zone.
  if (!isNew && businessFields.includes("timezone"))
    cli.note(
      `${slug}: future visits and time off ${dryRun ? "would keep" : "keep"} their moments, so their times of day change with the time zone.`,
    );
  if (repricing !== null) {
    // The text begins with the verb "change", which becomes "changed" unless this is a dry run.
    const text = repricingText(repricing, result);
    cli.note(`${slug}: ${dryRun ? `would ${text}` : text.replace("change", "changed")}.`);
  }
  const undone = overwrittenNames(changes, overwrittenSections);
  if (undone.length > 0) {
    const edits = `${countOf(undone.length, "local edit")} made since the file was last applied`;
    cli.note(`${slug}: ${dryRun ? "would undo" : "undid"} ${edits}: ${undone.join(", ")}.`);
  }
  for (const text of emptiedTexts(emptied, !dryRun))
    cli.note(`${slug}: ${dryRun ? "would " : ""}${text}.`);
  // `keptVisits` has only the visits that the note names, so the total comes from `keptVisitIds`.
  const keptCount = keptVisitIds(result).length;
  if (keptCount > 0) cli.note(`${slug}: ${affectedVisitsText(result.keptVisits, keptCount)}.`);
}

/** Notes what an apply would reject without a flag, and the flag if the command line lacks it. */
function noteRequiredFlags(
  cli: Cli,
  { slug, affected, deletedVisits, currencyChange, massDeletes }: ChangeResult,
  allowed: NonNullable<ReportOptions["allowed"]>,
): void {
  const unless = (isAllowed: boolean | undefined, flag: string): string =>
    isAllowed ? "" : `, which requires ${flag}`;
  const booked = deletedVisitsText(affected, deletedVisits);
  if (booked !== null) {
    const effect = allowed.cancelAffected
      ? ", and cancel what is booked"
      : ", which requires --cancel-affected";
    cli.note(`${slug}: would delete objects that are booked (${booked})${effect}.`);
  }
  if (currencyChange !== null)
    cli.note(
      `${slug}: would change the currency ${currencyChangeText(currencyChange)}${unless(allowed.acceptCurrencyChange, "--accept-currency-change")}.`,
    );
  for (const { kind, deleted, total } of massDeletes)
    cli.note(
      `${slug}: would delete ${deleted} of ${countOf(total, KIND_NAMES[kind])}${unless(allowed.allowMassDelete, "--allow-mass-delete")}.`,
    );
}

/** Notes the confirmation for which the apply would ask; nothing if it would not ask. */
function noteConfirmation(cli: Cli, result: ChangeResult): void {
  // An apply with mass deletes requires --allow-mass-delete. This flag also allows emptying
  // sections, so the apply would not ask about emptied sections.
  const areDeletesAllowed = result.massDeletes.length > 0;
  if (!cli.flags.json && lossesText(result, areDeletesAllowed) !== null)
    cli.note(`${result.slug}: would ask for a confirmation, or require --yes.`);
}

const columns = (currency: Currency): Column<ObjectChange>[] => [
  { title: "CHANGE", value: ({ action }) => action },
  { title: "KIND", value: ({ kind }) => kind },
  { title: "KEY", value: ({ key }) => key, noTruncate: true },
  { title: "WHAT", value: (change) => whatChanged(change, currency) },
  { title: "ID", value: ({ id }) => id, noTruncate: true },
];

/** Returns a text such as `price 40.00 -> 45.00, description`. */
function whatChanged(
  { action, fields, prices, overwrittenEdits }: ObjectChange,
  currency: Currency,
): string {
  const price = (minor: number | null) => (minor === null ? "none" : formatMoney(minor, currency));
  const repriced = prices.map(
    ({ part, from, to }) => `${part === "" ? "price" : part} ${price(from)} -> ${price(to)}`,
  );
  const undone =
    overwrittenEdits.length === 0
      ? []
      : action === "delete"
        ? ["undoes local edits"]
        : [`undoes a local edit of ${overwrittenEdits.map(fieldName).join(", ")}`];
  return [...repriced, ...fields.filter((field) => field !== "priceCents"), ...undone].join(", ");
}

const fieldName = (field: string): string => (field === "priceCents" ? "price" : field);

/** Returns a text such as `5 services, 2 menu categories`. */
const joinGiven = (...parts: string[]): string => parts.filter((part) => part !== "").join(", ");

function countByKind(changes: readonly ObjectChange[]): string {
  const counts = Map.groupBy(changes, ({ kind }) => kind);
  return [...counts].map(([kind, { length }]) => countOf(length, KIND_NAMES[kind])).join(", ");
}

const MAX_LISTED_TYPES = 6;

/** Returns a text such as ` (12 service.updated, catalog.changed)`; "" for no or too many types. */
const eventTypes = (webhooks: ChangeResult["webhooks"]): string => {
  const types = webhooks.map(({ type, events }) => (events === 1 ? type : `${events} ${type}`));
  return types.length === 0 || types.length > MAX_LISTED_TYPES ? "" : ` (${types.join(", ")})`;
};
