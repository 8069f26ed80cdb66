import type { Cancellable } from "../../app/bookings/operator-changes.ts";
import type { Runtime } from "../../app/runtime.ts";
import { countOf, safe } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandSpec } from "../command.ts";
import { usageError } from "../failure.ts";
import { pastTime, text } from "../flags.ts";
import type { Column } from "../output/table.ts";
import { resolveMaker } from "./objects.ts";

/** Describes what a command cancels: bookings, reservations or ticket orders. */
type Cancelled<Row, Shown> = {
  /** The group of commands, such as `bookings`. */
  group: string;
  /** The noun in the singular, for messages and the help. */
  noun: string;
  about: string;
  argument: "[id]" | "[order]";
  /** The help of --reason. */
  reason: string;
  /** The end of the help text of `--key`, such as `that have not started`. */
  notStarted: string;
  examples: readonly [string, ...string[]];
  cancelOne: (cli: Cli, name: string, reason: string | undefined) => Promise<void>;
  /** Imports the use cases when the command runs. */
  useCases: () => Promise<{ cancellable: Cancellable<Row> }>;
  toShown: (row: Row, timezone: string) => Shown;
  columns: (rt: Runtime, business: BusinessRow) => Column<Shown>[];
};

/**
 * Returns the command `cancel`, which cancels one visit or order, or all that a key has made since
 * a time.
 */
export function cancelCommand<Row, Shown extends object>(
  cancelled: Cancelled<Row, Shown>,
): CommandSpec {
  const { group, noun } = cancelled;
  const [example, ...more] = cancelled.examples;
  return command({
    name: "cancel",
    about: cancelled.about,
    supportsDryRun: true,
    arguments: [cancelled.argument],
    flags: {
      reason: text("text", cancelled.reason),
      key: text(
        "key",
        `instead of one: the ${noun}s that this key made and ${cancelled.notStarted}`,
      ),
      createdSince: pastTime(`with --key: those made since then (a time in UTC, or 2h, 3d, …)`),
    },
    examples: [example, `${group} cancel --key website --created-since 2h --dry-run`, ...more],
    run(cli, { reason, key, createdSince }, name) {
      if (name !== undefined && key === undefined && createdSince === undefined)
        return cancelled.cancelOne(cli, name, reason);
      if (name === undefined && key !== undefined && createdSince !== undefined)
        return cancelAllOfKey(cli, cancelled, key, createdSince, reason ?? null);
      throw usageError(
        `Name either one ${noun}, or --key and --created-since.`,
        `deskbell ${group} cancel --key website --created-since 2h --dry-run`,
      );
    },
  });
}

async function cancelAllOfKey<Row, Shown extends object>(
  cli: Cli,
  { noun, useCases, toShown, columns }: Cancelled<Row, Shown>,
  keyName: string,
  createdSince: (now: number) => number,
  reason: string | null,
): Promise<void> {
  const { rt, business } = await cli.openBusiness();
  const key = resolveMaker(cli, rt, business, keyName);
  const { cancellable } = await useCases();
  const { cancelMany } = await import("../../app/bookings/operator-changes.ts");
  const madeByKey = { keyId: key.id, createdSince: createdSince(rt.now()) };
  const { length } = cancellable.list(rt, business.id, madeByKey);
  if (length > 0)
    await cli.confirm(
      `Cancelling ${countOf(length, noun)} of the key '${safe(key.name)}'`,
      key.name,
    );
  const rows = cancelMany(rt, cancellable, business.slug, madeByKey, reason);
  cli.printList(
    rows.map((row) => toShown(row, business.doc.timezone)),
    columns(rt, business),
    `The key '${safe(key.name)}' has made no ${noun}s since then that can be cancelled.`,
  );
  if (rows.length > 0)
    cli.note(`${cli.verb("Cancelled", "cancel")} ${countOf(rows.length, noun)}.`);
  if (!cli.flags.dryRun && cancellable.list(rt, business.id, madeByKey).length > 0)
    cli.note(`The key has made more ${noun}s: run the command again to cancel them.`);
}
