import { shellQuote } from "../../domain/text.ts";
import { tuneForShortCommand } from "../../cli/v8-flags.ts";
import type { AuditAction } from "../../domain/audit.ts";
import { type CatalogChangeRow, createCatalogChangeStore } from "./store.ts";
import { command, variant } from "../../cli/command.ts";
import { DEFAULT_LIMIT, integer, text, toggle } from "../../cli/flags.ts";
import { formatFlag, printCatalogFile } from "../../cli/output/catalog-file.ts";
import { reportChange, reportChanges } from "../../cli/output/change-report.ts";
import { isoTime, shortTime } from "../../cli/output/table.ts";
import { EXIT, usageError } from "../../cli/failure.ts";
import { nameOfActor } from "../../cli/commands/audit.ts";

const versionFlag = (about: string) => integer(0, Number.MAX_SAFE_INTEGER, about);

const history = command({
  name: "history",
  about:
    "List the changes of a catalog, newest first: who made each one, when, and what it changed. Changes are kept as long as " +
    "events (serve --keep-days, --keep-size), and the newest one always.",
  arguments: ["[slug]"],
  flags: { limit: integer(1, 10_000, `maximum number of changes (default ${DEFAULT_LIMIT})`) },
  examples: ["catalog history salon-aurora", "catalog history --limit 5 --json"],
  async run(cli, { limit = DEFAULT_LIMIT }, slug) {
    const rt = await cli.open();
    const business = cli.business(rt, slug);
    const rows = rt
      .openStore(createCatalogChangeStore)
      .list(business.id, limit + 1)
      .map(toOutput);
    const shown = rows.slice(0, limit);
    cli.printList(
      shown,
      [
        { title: "VERSION", value: "version", align: "right", noTruncate: true },
        { title: "TIME", value: ({ at }) => shortTime(at), noTruncate: true },
        { title: "ACTOR", value: actorOf },
        { title: "CHANGE", value: nounOf, noTruncate: true },
        { title: "WHAT", value: countsOf },
        { title: "FROM", value: sourceOf },
      ],
      `No change of the catalog of ${business.slug} is kept.`,
    );
    if (rows.length > limit) cli.note("There are older changes: add a larger --limit.");
  },
});

function toOutput({ version, fromVersion, at, entry }: CatalogChangeRow) {
  const { via, actorId, actorName, action, details } = entry ?? {};
  return {
    version,
    fromVersion,
    at: isoTime(at),
    via: via ?? null,
    actor: actorId === undefined ? null : { id: actorId, name: actorName ?? null },
    action: action ?? null,
    details: details ?? {},
  };
}

type Change = ReturnType<typeof toOutput>;

const actorOf = ({ via, actor }: Change): string =>
  via === null || actor === null ? "" : nameOfActor({ via, actor });

const NOUNS: Partial<Record<AuditAction, string>> = {
  "catalog.applied": "apply",
  "catalog.edited": "edit",
  "catalog.undone": "undo",
};

const nounOf = ({ action }: Change): string => (action && NOUNS[action]) ?? "";

/** Returns a text such as `3 created, 1 deleted, hours`. */
function countsOf({ details }: Change): string {
  const counts = ["created", "updated", "moved", "deleted"].flatMap((name) =>
    details[name] ? [`${String(details[name])} ${name}`] : [],
  );
  return [...counts, ...((details.fields ?? []) as string[])].join(", ");
}

/**
 * Returns the source of a change: the files of an apply, the object or section that was edited, or
 * the version that an undo restored.
 */
function sourceOf({ details: { files, key, section, restored } }: Change): string {
  if (restored !== undefined) return `version ${String(restored)}`;
  return Array.isArray(files) ? files.join(", ") : String(key ?? section ?? "");
}

const show = command({
  name: "show",
  about: "Print the catalog as it was at a version, in the form of catalog export.",
  flags: {
    version: versionFlag("version from catalog history (required)"),
    out: text("file", "write to this new file (default -, which is stdout)"),
    format: formatFlag,
  },
  examples: ["catalog show --version 12", "catalog show --version 12 --out before.yaml"],
  async run(cli, { version, out, format }) {
    if (version === undefined) throw usageError("Missing --version.", "deskbell catalog history");
    tuneForShortCommand();
    const { rt, business } = await cli.openBusiness();
    const { readEarlierCatalog } = await import("./catalog-history.ts");
    const { catalog } = readEarlierCatalog(rt, business.slug, version);
    await printCatalogFile(cli, catalog, { out, format });
  },
});

const undo = command({
  name: "undo",
  about:
    "Undo the last change of a catalog, the first line of catalog history, and send webhooks for it. What it replaced is " +
    "restored exactly, with the same IDs; sold-out marks, time off, bookings and orders stay. Undoing an undo does the change again.",
  supportsDryRun: true,
  flags: {
    version: versionFlag("undo every change after this version"),
    cancelAffected: toggle(
      "cancel the future bookings and ticket orders of objects that this deletes",
    ),
  },
  examples: ["catalog undo --dry-run", "catalog undo --business salon-aurora --version 12 --yes"],
  async run(cli, { version, ...flags }) {
    tuneForShortCommand();
    const { rt, business } = await cli.openBusiness();
    const { slug } = business;
    const { listMarksSinceChange, planUndo } = await import("./undo-catalog.ts");
    const [{ previewReplacement, replaceCatalog }, { loadCancelAffected }] = await Promise.all([
      import("../../app/catalog/changes/replace-catalog.ts"),
      import("../../app/catalog/changes/affected-visits.ts"),
    ]);
    const cancelAffected = await loadCancelAffected(flags.cancelAffected);
    const { version: restored, replacement } = planUndo(rt, slug, version);
    const undone = describeUndone(
      rt.openStore(createCatalogChangeStore).list(business.id, 1)[0],
      restored,
    );
    const { json, dryRun, yes } = cli.flags;
    // A person who has to confirm sees the changes first, because the command line does not say
    // what it undoes.
    const isPreviewed = !yes && !dryRun && !json;
    cli.note(`${slug}: undoing ${undone} restores version ${restored} of the catalog.`);
    for (const { key, name } of listMarksSinceChange(rt, business))
      cli.note(
        `${slug}: ${name} was marked as sold out after the last change of the catalog, and stays sold out. ` +
          `To sell it again: ${cli.program} menu sold-out ${shellQuote(key)} --undo --business ${slug}`,
      );
    if (isPreviewed)
      reportChange(cli, previewReplacement(rt, replacement, { cancelAffected }), {
        dryRun: true,
        allowed: flags,
      });
    await cli.agree(
      `Undo ${undone}?`,
      usageError(`Undoing ${undone} needs a confirmation.`, "add --yes"),
    );
    const result = replaceCatalog(rt, replacement, { cancelAffected, confirmed: true });
    if (json) return cli.printObject({ ...result, restored });
    // The changes are left out if the preview has already shown them.
    reportChange(cli, isPreviewed ? { ...result, changes: [] } : result, { allowed: flags });
    if (dryRun || result.fromVersion === result.version) return;
    cli.note(`${slug}: the catalog is again as it was at version ${restored}.`);
    cli.note(`To take this undo back: ${cli.program} catalog undo --business ${slug}`);
  },
});

/** Returns a text such as `the apply of salon.yaml by mia (version 14, 2026-11-22T09:02:11Z)`. */
function describeUndone(newest: CatalogChangeRow | undefined, restored: number): string {
  // The undo reverts a single change if the newest change replaced the version to restore.
  if (newest?.fromVersion !== restored) return `all changes after version ${restored}`;
  const change = toOutput(newest);
  const [source, actor] = [sourceOf(change), actorOf(change)];
  const by = actor && ` by ${actor}`;
  const what =
    change.action === "catalog.undone"
      ? `the undo${by} that restored ${source}`
      : `the ${nounOf(change) || "change"}${source && ` of ${source}`}${by}`;
  return `${what} (version ${change.version}, ${shortTime(change.at)})`;
}

const diffWithVersion = variant({
  arguments: ["[files...]"],
  flags: { version: versionFlag("show what restoring this version would change") },
  examples: ["catalog diff --version 12"],
  isMeant: ({ version }, names) => version !== undefined || names.length === 0,
  async run(cli, { version }, names) {
    if (version === undefined || names.length > 0)
      throw usageError(
        "Give either catalog files or --version.",
        "deskbell catalog diff FILE, or a version from deskbell catalog history",
      );
    tuneForShortCommand();
    const { rt, business } = await cli.openBusiness();
    const { planUndo } = await import("./undo-catalog.ts");
    const { planReplacement } = await import("../../app/catalog/changes/replace-catalog.ts");
    const plan = planReplacement(rt, planUndo(rt, business.slug, version).replacement);
    return reportChanges(cli, [plan], { dryRun: true }).changed.length > 0
      ? EXIT.differences
      : EXIT.ok;
  },
});

export const variants = [diffWithVersion];

export const subcommands = [undo, history, show];
