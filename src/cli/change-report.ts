import type { ChangeResult } from "../app/catalog.ts";
import type { ObjectChange } from "../domain/catalog-diff.ts";
import { formatMoney } from "../domain/money.ts";
import type { Cli } from "./cli.ts";
import type { Column } from "./table.ts";

/** Shows what a change did, or would do: the objects on stdout, the sum and the webhooks on stderr. */
export function reportChange(cli: Cli, result: ChangeResult, { dryRun = false } = {}): void {
  if (cli.flags.json) return cli.printObject(result);
  const { slug, isNew, fromVersion, version, businessFields, changes, events, deliveries } = result;
  if (fromVersion === version) return cli.note(`${slug}: nothing differs.`);
  if (isNew) cli.note(`${slug}: new, ${countByKind(changes)}.`);
  else if (changes.length > 0) cli.printList(changes, columns(result.currency), "");
  if (!isNew && businessFields.length > 0) cli.note(`${slug}: ${businessFields.join(", ")} changed.`);
  const told = `${countOf(events.length, "event")}${eventTypes(events)}`;
  cli.note(
    dryRun
      ? `${slug}: would go from version ${fromVersion} to ${version} with ${told}; nothing was written.`
      : `${slug}: version ${fromVersion} -> ${version}, ${told}, ${countOf(deliveries, "webhook")} to send.`,
  );
}

const columns = (currency: string): Column<ObjectChange>[] => [
  { title: "CHANGE", value: ({ action }) => action },
  { title: "KIND", value: ({ kind }) => kind },
  { title: "KEY", value: ({ key }) => key, whole: true },
  { title: "WHAT", value: (change) => whatChanged(change, currency) },
  { title: "ID", value: ({ id }) => id, whole: true },
];

function whatChanged({ fields, prices }: ObjectChange, currency: string): string {
  const price = (minor: number | null) => (minor === null ? "none" : formatMoney(minor, currency));
  const repriced = prices.map(({ of, from, to }) => `${of === "" ? "price" : of} ${price(from)} -> ${price(to)}`);
  return [...repriced, ...fields.filter((field) => field !== "priceCents")].join(", ");
}

/** `5 service, 2 addon` */
function countByKind(changes: readonly { kind: string }[]): string {
  const counts = Map.groupBy(changes, ({ kind }) => kind);
  return [...counts].map(([kind, { length }]) => `${length} ${kind}`).join(", ");
}

const eventTypes = (events: ChangeResult["events"]): string => {
  const types = [...new Set(events.map(({ type }) => type))];
  return types.length === 0 || types.length > 6 ? "" : ` (${types.join(", ")})`;
};

export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
