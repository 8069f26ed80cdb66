import type { DocOf } from "../../domain/catalog/catalog.ts";
import { formatMoney } from "../../domain/money.ts";
import { reportChange } from "../output/change-report.ts";
import { command } from "../command.ts";
import { integer, text } from "../flags.ts";
import {
  editFlags,
  objectCommands,
  parseEdits,
  withEditedPart,
  withEdits,
} from "../objects/objects.ts";

const listAndShow = objectCommands({
  kind: "service",
  noun: "services",
  example: { business: "salon-aurora", key: "cut" },
  showExamples: ["services show cut", "services show svc_1b7… --json"],
  about: {
    list: "List services in catalog order, including hidden ones.",
    show: "Show a service with its variants and add-ons.",
  },
  columns: ({ currency }) => [
    {
      title: "PRICE",
      value: ({ priceCents }) => formatMoney(priceCents, currency),
      align: "right",
    },
    { title: "MIN", value: "durationMin", align: "right" },
    { title: "VARIANTS", value: ({ variants }) => variants.length, align: "right" },
  ],
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
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
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
      ({ key, priceCents }) => `${key} ${formatMoney(priceCents, doc.currency)}`,
    );
    cli.note(
      `Its variants keep their prices: ${prices.join(", ")}. Add --variant KEY to change one.`,
    );
  },
});

export const definition = [...listAndShow, update];
