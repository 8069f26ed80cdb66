import { lowestPrice } from "../../../domain/catalog/file/menu.ts";
import { countOf } from "../../../domain/text.ts";
import { whenConfirmed } from "../../input/when-confirmed.ts";
import { reportChange } from "../../output/change-report.ts";
import { writePrice } from "../../output/price.ts";
import { command } from "../../command.ts";
import { text, toggle } from "../../flags.ts";
import { parseTime } from "../../typed-times.ts";
import {
  editFlags,
  hasPrice,
  parseEdits,
  withEditedParts,
  withEdits,
} from "../../objects/edits.ts";
import { toDishKey, toKey } from "../../objects/by-name.ts";
import { listObjects, resolveObject } from "../../objects/objects.ts";
import { usageError } from "../../failure.ts";

const list = command({
  name: "list",
  about: "List dishes in menu order, including hidden ones.",
  examples: ["menu list --business cafe-lumen", "menu list --json"],
  async run(cli) {
    const { rt, business } = await cli.openBusiness();
    const soldOutUntil = rt.store.soldOut.list(business.id);
    // The time is null for a dish that is sold out until it is marked as available.
    const isSoldOut = (id: string) =>
      soldOutUntil.has(id) && (soldOutUntil.get(id) ?? Infinity) > rt.now();
    cli.printList(
      listObjects(rt, business, "menu_item").map((dish) => ({
        ...dish,
        soldOut: isSoldOut(dish.id),
      })),
      [
        "key",
        "name",
        {
          title: "PRICE",
          value: (dish) => writePrice(dish, business.doc),
          align: "right",
        },
        { title: "CATEGORIES", value: ({ categories }) => categories.join(", ") },
        "status",
        { title: "ID", value: "id", noTruncate: true, optional: true },
        { title: "SOLD OUT", value: ({ soldOut }) => (soldOut ? "yes" : "") },
      ],
      `${business.slug} has no menu.`,
    );
  },
});

const show = command({
  name: "show",
  about: "Show a dish with its sizes, allergens and modifiers.",
  arguments: ["<dish>"],
  examples: ["menu show espresso --business cafe-lumen", "menu show mit_5k2… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    cli.printObject(resolveObject(rt, cli.business(rt), "menu_item", name));
  },
});

const update = command({
  name: "update",
  about: "Update a dish or one of its sizes.",
  supportsDryRun: true,
  arguments: ["<dish>"],
  flags: {
    ...editFlags,
    size: text("key", "update the name or price of this size instead"),
    all: toggle("set the price of every size"),
  },
  examples: [
    "menu update espresso --price 4.20",
    "menu update soup --size soup-cup --price 8.90",
    "menu update soup --description 'With roasted barley and sage.'",
  ],
  async run(cli, { size, all, ...given }, dish) {
    const { rt, business } = await cli.openBusiness();
    const { slug, doc: businessDoc } = business;
    const edits = parseEdits(given, businessDoc);
    for (const field of ["status", "description"] as const)
      if (size !== undefined && edits[field] !== undefined)
        throw usageError(
          `--${field} cannot be combined with --size: a size has no ${field}.`,
          `leave out --${field} or --size`,
        );
    const { editObject } = await import("../../../app/catalog/changes/edit-object.ts");
    const isConfirmed = cli.flags.yes || cli.flags.dryRun;
    const result = await whenConfirmed(cli, isConfirmed, (confirmed) =>
      editObject(
        rt,
        slug,
        "menu_item",
        toKey(rt, business, "menu_item", dish),
        (doc) => {
          const selection = { noun: "size", parts: doc.sizes, selected: size, all } as const;
          const sizes = withEditedParts(
            { ...selection, isPartRequired: doc.sizes.length > 0 },
            edits,
          );
          const edited = size === undefined ? withEdits(doc, edits) : doc;
          const priceCents = lowestPrice(sizes);
          if (priceCents === lowestPrice(doc.sizes) || !hasPrice(doc)) return { ...edited, sizes };
          // The price of a dish with sizes is the price of its cheapest size, which partners show.
          return { ...edited, priceCents, sizes };
        },
        confirmed,
      ),
    );
    reportChange(cli, result);
  },
});

const soldOut = command({
  name: "sold-out",
  about: "Mark a dish or a modifier option as sold out, or as available again.",
  supportsDryRun: true,
  arguments: ["<dish>"],
  flags: {
    until: text("time", "available again from this time: 18:00 (today) or 2026-12-01T18:00"),
    undo: toggle("mark as available again"),
  },
  examples: ["menu sold-out soup --until 18:00", "menu sold-out milk/oat-milk --undo"],
  async run(cli, { until, undo }, dish) {
    if (undo && until !== undefined) throw usageError("--until cannot be combined with --undo.");
    const { rt, business } = await cli.openBusiness();
    const { setSoldOut } = await import("../../../app/catalog/sold-out.ts");
    // A dish with the time null is sold out until it is marked as available.
    const availableAt =
      until === undefined
        ? null
        : parseTime("--until", until, { timezone: business.doc.timezone, now: rt.now() });
    const { name, key, id, events, deliveries } = setSoldOut(
      rt,
      business,
      toDishKey(rt, business, dish),
      undo ? "back" : availableAt,
    );
    if (cli.flags.json)
      return cli.printObject({ id, key, name, soldOut: !undo, events, deliveries });
    const state = undo ? "available" : "sold out";
    const end = until === undefined ? "" : ` until ${until}`;
    cli.note(
      `${cli.verb("Marked", "mark")} ${name} as ${state}${end}: ${countOf(events.length, "event")}, ${countOf(deliveries, "webhook")} to send.`,
    );
  },
});

export const definition = [list, show, update, soldOut];
