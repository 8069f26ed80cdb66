import type { VariantDoc } from "../../domain/catalog/catalog.ts";
import { formatMoney } from "../../domain/money.ts";
import { reportChange } from "../output/change-report.ts";
import { command } from "../command.ts";
import { integer, text, toggle } from "../flags.ts";
import {
  editFlags,
  objectCommands,
  parseEdits,
  withEditedParts,
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
  columns: (business) => [
    {
      title: "PRICE",
      value: ({ priceCents }) => formatMoney(priceCents, business),
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
    all: toggle("set the price or duration of every variant"),
  },
  examples: [
    "services update beard-trim --price 45.00",
    "services update cut --variant cut-junior --price 62.00 --duration 70",
  ],
  async run(cli, { variant, all, duration, ...given }, service) {
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
    const edits = parseEdits({ ...given, durationMin: duration }, doc);
    const { editObject } = await import("../../app/catalog/edit-object.ts");
    let kept: VariantDoc[] = [];
    const result = editObject(rt, slug, "service", service, (doc) => {
      const booked = doc.variants.find(({ isDefault }) => isDefault);
      const selection = { noun: "variant", parts: doc.variants, selected: variant, all } as const;
      const variants = withEditedParts(
        { ...selection, isPartRequired: booked !== undefined },
        edits,
      );
      if (variants === doc.variants) kept = variants;
      const edited = variant === undefined ? withEdits(doc, edits) : doc;
      // Partners show the price of the service, so it follows the variant that is booked by default.
      const { priceCents, durationMin } = variants.find(({ isDefault }) => isDefault) ?? edited;
      return { ...edited, priceCents, durationMin, variants };
    });
    reportChange(cli, result);
    if (edits.priceCents === undefined || kept.length === 0) return;
    const prices = kept.map(({ key, priceCents }) => `${key} ${formatMoney(priceCents, doc)}`);
    cli.note(
      `Its variants keep their prices: ${prices.join(", ")}. Add --variant KEY to change one.`,
    );
  },
});

export const definition = [...listAndShow, update];
