import type { DocOf } from "../../domain/catalog/catalog.ts";
import { formatMoney } from "../../domain/money.ts";
import { safe } from "../../domain/text.ts";
import { reportChange } from "../output/change-report.ts";
import { command, type CommandGroup } from "../command.ts";
import { integer, text } from "../flags.ts";
import {
  editFlags,
  listObjects,
  resolveObject,
  parseEdits,
  withEditedPart,
  withEdits,
} from "../objects/objects.ts";

const list = command({
  name: "list",
  about: "List services in catalog order, including hidden ones.",
  examples: ["services list --business salon-aurora", "services list --json"],
  async run(cli) {
    const rt = await cli.open();
    const business = cli.business(rt);
    cli.printList(
      listObjects(rt, business, "service"),
      [
        { title: "KEY", value: ({ key }) => key, noTruncate: true },
        { title: "NAME", value: ({ name }) => name },
        {
          title: "PRICE",
          value: ({ priceCents }) => formatMoney(priceCents, business.doc.currency),
          align: "right",
        },
        { title: "MIN", value: ({ durationMin }) => durationMin, align: "right" },
        { title: "VARIANTS", value: ({ variants }) => variants.length, align: "right" },
        { title: "STATUS", value: ({ status }) => status },
        { title: "ID", value: ({ id }) => id, noTruncate: true, optional: true },
      ],
      `${business.slug} has no services.`,
    );
  },
});

const show = command({
  name: "show",
  about: "Show a service with its variants and add-ons.",
  arguments: ["<service>"],
  examples: ["services show cut", "services show svc_1b7… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    cli.printObject(resolveObject(rt, cli.business(rt), "service", name));
  },
});

const update = command({
  name: "update",
  about: "Update a service or one of its variants.",
  supportsDryRun: true,
  arguments: ["<service>"],
  flags: {
    ...editFlags,
    duration: integer(1, 1440, "new duration in minutes"),
    variant: text("key", "update this variant instead"),
  },
  examples: [
    "services update cut --price 45.00",
    "services update cut --variant cut-junior --price 62.00 --duration 70",
  ],
  async run(cli, { variant, duration, ...given }, service) {
    const rt = await cli.open();
    const { slug, doc } = cli.business(rt);
    const edits = parseEdits({ ...given, durationMin: duration }, doc.currency);
    const { editObject } = await import("../../app/catalog/catalog.ts");
    let others: DocOf["service"]["variants"] = [];
    const result = editObject(rt, slug, "service", service, (doc) => {
      if (variant !== undefined)
        return { ...doc, variants: withEditedPart(doc.variants, "variant", variant, edits) };
      others = doc.variants;
      return withEdits(doc, edits);
    });
    reportChange(cli, result);
    if (edits.priceCents === undefined || others.length === 0) return;
    // Customers book a variant, so a new price of the service alone may have no effect.
    const prices = others.map(
      ({ key, priceCents }) => `${safe(key)} ${formatMoney(priceCents, doc.currency)}`,
    );
    cli.note(
      `Its variants keep their prices: ${prices.join(", ")}. Add --variant KEY to change one.`,
    );
  },
});

export const services: CommandGroup = {
  name: "services",
  about: "List, show and update services.",
  commands: [list, show, update],
};
