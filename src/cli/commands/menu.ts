import { AppError } from "../../domain/errors.ts";
import { formatMoney } from "../../domain/money.ts";
import { reportChange } from "../change-report.ts";
import { command, type Group } from "../command.ts";
import { text } from "../flags.ts";
import { editFlags, findNamed, listObjects, readEdits, withEditedPart, withEdits } from "../objects.ts";

const list = command({
  name: "list",
  about: "List the dishes, hidden ones too, in their order.",
  examples: ["menu list --business cafe-lumen", "menu list --json"],
  async run(cli) {
    const rt = await cli.open();
    const business = cli.business(rt);
    cli.printList(
      listObjects(rt, business, "menu_item"),
      [
        { title: "KEY", value: ({ key }) => key, whole: true },
        { title: "NAME", value: ({ name }) => name },
        { title: "PRICE", value: ({ priceCents }) => formatMoney(priceCents, business.doc.currency), align: "right" },
        { title: "CATEGORIES", value: ({ categories }) => categories.join(", ") },
        { title: "STATUS", value: ({ status }) => status },
        { title: "ID", value: ({ id }) => id, whole: true },
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
    cli.printObject(findNamed(listObjects(rt, cli.business(rt), "menu_item"), "dish", name));
  },
});

const set = command({
  name: "set",
  about: "Change a dish, or one of its sizes, and tell the partners.",
  arguments: ["<dish>"],
  flags: { ...editFlags, size: text("key", "change the name or price of this size of it") },
  examples: ["menu set espresso --price 4.20", "menu set soup --size soup-cup --price 8.90"],
  async run(cli, { size, ...given }, dish) {
    const rt = await cli.open();
    const { slug, doc } = cli.business(rt);
    const edits = readEdits(given, doc.currency);
    if (size !== undefined && edits.status !== undefined)
      throw new AppError("usage", "A size has no status of its own.", { fix: "leave --status or --size out" });
    const { editObject } = await import("../../app/catalog.ts");
    const result = editObject(rt, slug, "menu_item", dish, (doc) =>
      size === undefined ? withEdits(doc, edits) : { ...doc, sizes: withEditedPart(doc.sizes, "size", size, edits) },
    );
    reportChange(cli, result);
  },
});

export const menu: Group = { name: "menu", about: "The dishes of a restaurant.", commands: [list, show, set] };
