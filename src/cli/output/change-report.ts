import type { ChangeResult } from "../../app/catalog/plan-change.ts";
import type { ObjectChange } from "../../domain/catalog/change/diff.ts";
import { countOf } from "../../domain/text.ts";
import { KIND_NAMES } from "../../domain/catalog/catalog.ts";
import { type Currency, currencyChangeText } from "../../domain/currency.ts";
import { formatMoney } from "../../domain/money.ts";
import type { Cli } from "../cli.ts";
import type { Column } from "./table.ts";

/** Prints the changed objects on stdout, and a summary with events and webhooks on stderr. */
export function reportChange(cli: Cli, result: ChangeResult, dryRun = cli.flags.dryRun): void {
  if (cli.flags.json) return cli.printObject(result);
  const {
    slug,
    isNew,
    fromVersion,
    version,
    businessFields,
    changes,
    events,
    deliveries,
    massDeletes,
    currencyChange,
  } = result;
  if (fromVersion === version) return cli.note(`${slug}: no changes.`);
  if (isNew) cli.note(`${slug}: new, ${countByKind(changes)}.`);
  else if (changes.length > 0) cli.printList(changes, columns(result), "");
  if (!isNew && businessFields.length > 0)
    cli.note(`${slug}: ${businessFields.join(", ")} changed.`);
  const undone = changes.filter(({ overwrittenEdits }) => overwrittenEdits.length > 0);
  if (undone.length > 0) {
    const edits = `${countOf(undone.length, "local edit")} made since the file was last applied`;
    cli.note(
      `${slug}: ${dryRun ? "would undo" : "undid"} ${edits}: ${undone.map(({ key }) => key).join(", ")}.`,
    );
  }
  if (result.outsideHours.length > 0) cli.note(`${slug}: ${outsideHoursNote(result.outsideHours)}`);
  const effects = `${countOf(events.length, "event")}${eventTypes(result.webhooks)}, ${countOf(deliveries, "webhook")} to send`;
  if (!dryRun) return cli.note(`${slug}: version ${fromVersion} -> ${version}, ${effects}.`);
  cli.note(`${slug}: would change version ${fromVersion} -> ${version}, ${effects}.`);
  if (currencyChange !== null)
    cli.note(
      `${slug}: would change the currency ${currencyChangeText(currencyChange)}, which requires --accept-currency-change.`,
    );
  for (const { kind, deleted, total } of massDeletes)
    cli.note(
      `${slug}: would delete ${deleted} of ${total} ${kind}, which requires --allow-mass-delete.`,
    );
}

const MAX_NAMED = 10;

function outsideHoursNote(ids: readonly string[]): string {
  const more = ids.length - MAX_NAMED;
  const named = ids.slice(0, MAX_NAMED).join(", ");
  return `${countOf(ids.length, "future booking")} outside the new hours: ${named}${more > 0 ? ` and ${more} more` : ""}.`;
}

const columns = (currency: Currency): Column<ObjectChange>[] => [
  { title: "CHANGE", value: ({ action }) => action },
  { title: "KIND", value: ({ kind }) => kind },
  { title: "KEY", value: ({ key }) => key, noTruncate: true },
  { title: "WHAT", value: (change) => whatChanged(change, currency) },
  { title: "ID", value: ({ id }) => id, noTruncate: true },
];

function whatChanged(
  { fields, prices, overwrittenEdits }: ObjectChange,
  currency: Currency,
): string {
  const price = (minor: number | null) => (minor === null ? "none" : formatMoney(minor, currency));
  const repriced = prices.map(
    ({ part, from, to }) => `${part === "" ? "price" : part} ${price(from)} -> ${price(to)}`,
  );
  const undone =
    overwrittenEdits.length === 0
      ? []
      : [`undoes a local edit of ${overwrittenEdits.map(fieldName).join(", ")}`];
  return [...repriced, ...fields.filter((field) => field !== "priceCents"), ...undone].join(", ");
}

const fieldName = (field: string): string => (field === "priceCents" ? "price" : field);

/** `5 services, 2 menu categories` */
function countByKind(changes: readonly ObjectChange[]): string {
  const counts = Map.groupBy(changes, ({ kind }) => kind);
  return [...counts].map(([kind, { length }]) => countOf(length, KIND_NAMES[kind])).join(", ");
}

/** ` (12 service.updated, catalog.changed)` */
const eventTypes = (webhooks: ChangeResult["webhooks"]): string => {
  const types = webhooks.map(({ type, events }) => (events === 1 ? type : `${events} ${type}`));
  return types.length === 0 || types.length > 6 ? "" : ` (${types.join(", ")})`;
};
