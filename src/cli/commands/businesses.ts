import { ALL_KINDS } from "../../domain/catalog/catalog.ts";
import type { BusinessContents } from "../../store/businesses.ts";
import { countOf } from "../../domain/text.ts";
import { command } from "../command.ts";
import { insertProgramName } from "../failure.ts";
import { toggle } from "../flags.ts";
import { noteRemains } from "../output/remains.ts";

const list = command({
  name: "list",
  about: "List businesses.",
  examples: ["businesses list", "businesses list --json"],
  async run(cli) {
    const rt = await cli.open();
    const rows = rt.store.businesses.list().map(({ id, doc, catalogVersion }) => ({
      id,
      slug: doc.slug,
      name: doc.name,
      timezone: doc.timezone,
      currency: doc.currency,
      catalogVersion,
    }));
    cli.printList(
      rows,
      [
        { title: "SLUG", value: "slug", noTruncate: true },
        "name",
        "timezone",
        "currency",
        { title: "VERSION", value: "catalogVersion", align: "right" },
        { title: "ID", value: "id", noTruncate: true, optional: true },
      ],
      "No businesses yet.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show a business and the number of objects in its catalog.",
  arguments: ["[slug]"],
  examples: ["businesses show salon-aurora", "businesses show --business cafe-lumen --json"],
  async run(cli, _flags, slug) {
    const rt = await cli.open();
    const { id, doc, schedule, catalogVersion, updatedAt } = cli.business(rt, slug);
    const counts = rt.store.catalog.countByKind(id);
    cli.printObject({
      id,
      ...doc,
      ...schedule,
      catalogVersion,
      updatedAt: new Date(updatedAt).toISOString(),
      objects: Object.fromEntries(ALL_KINDS.map((kind) => [kind, counts.get(kind) ?? 0])),
    });
  },
});

/** Deleting more events than this takes longer than a second, so it is announced. */
const LONG_HISTORY = 50_000;

const deleteCommand = command({
  name: "delete",
  about: "Delete a business with its catalog, keys, endpoints, events and bookings.",
  supportsDryRun: true,
  arguments: ["<slug>"],
  flags: {
    moved: toggle(
      "another server has the business from now on: restoring an older backup does not bring it back",
    ),
  },
  examples: ["businesses delete kita-live --dry-run", "businesses delete kita-live --yes"],
  async run(cli, { moved }, slug) {
    const rt = await cli.open();
    const business = cli.business(rt, slug);
    const contents = rt.store.businesses.countContents(business.id);
    const { dryRun, json, yes } = cli.flags;
    if (!yes && !dryRun) cli.note(`Deleting ${slug} also deletes ${describeContents(contents)}.`);
    await cli.confirm(`Deleting ${slug}`, slug);
    if (!dryRun && contents.events > LONG_HISTORY) cli.note("deleting …");
    const [{ deleteBusiness }, { deleteMovedBusiness }, { removeErasedBytes }, { ON_REMOVAL }] =
      await Promise.all([
        import("../../app/delete-business.ts"),
        import("../../app/moved-businesses.ts"),
        import("../../app/guests/erased-bytes.ts"),
        import("../../features/on-removal.ts"),
      ]);
    const deleted = (moved ? deleteMovedBusiness : deleteBusiness)(rt, business);
    const remains = removeErasedBytes(rt);
    if (json)
      cli.printObject({ id: business.id, slug, deleted: !dryRun, contents: deleted, remains });
    cli.note(`${cli.verb("Deleted", "delete")} ${slug} with ${describeContents(deleted)}.`);
    noteRemains(cli, rt.config, remains);
    if (dryRun) return;
    for (const note of ON_REMOVAL.flatMap((one) => one.describeRemains?.(rt, moved) ?? []))
      cli.note(insertProgramName(note, cli.program));
  },
});

/** Returns a text such as `12 catalog objects, 1 key`; "nothing" if there is nothing. */
function describeContents({ unsentDeliveries, deliveries, ...counts }: BusinessContents): string {
  const nouns: Record<keyof typeof counts, string> = {
    objects: "catalog object",
    keys: "key",
    endpoints: "endpoint",
    events: "event",
    bookings: "booking",
    reservations: "reservation",
    orders: "ticket order",
  };
  const parts = Object.entries(nouns).map(
    ([name, noun]) => [counts[name as keyof typeof counts], noun] as const,
  );
  const shown = parts.filter(([count]) => count > 0).map(([count, noun]) => countOf(count, noun));
  if (deliveries > 0)
    shown.push(
      `${deliveries} deliver${deliveries === 1 ? "y" : "ies"} (${unsentDeliveries} not sent yet)`,
    );
  return shown.join(", ") || "nothing";
}

export const definition = [list, show, deleteCommand];
