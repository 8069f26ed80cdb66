import { shellQuote } from "../../../domain/text.ts";
import type { VariantDoc } from "../../../domain/catalog/catalog.ts";
import { formatMoney } from "../../../domain/money.ts";
import { whenConfirmed } from "../../input/when-confirmed.ts";
import { reportChange } from "../../output/change-report.ts";
import { writePrice } from "../../output/price.ts";
import { command } from "../../command.ts";
import { usageError } from "../../failure.ts";
import { choice, integer, requiredText, text, texts, toggle } from "../../flags.ts";
import {
  editFlags,
  hasPrice,
  keyFromName,
  namingFlags,
  parseEdits,
  parsePrice,
  withEditedParts,
  withEdits,
  withGiven,
} from "../../objects/edits.ts";
import { toKey } from "../../objects/by-name.ts";
import { objectCommands } from "../../objects/objects.ts";

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
      value: (service) => writePrice(service, business),
      align: "right",
    },
    { title: "MIN", value: "durationMin", align: "right" },
    { title: "VARIANTS", value: ({ variants }) => variants.length, align: "right" },
  ],
});

const create = command({
  name: "create",
  about: "Create a service. It is public, and can be booked with any of its staff.",
  supportsDryRun: true,
  flags: {
    name: requiredText("name", "name of the service"),
    duration: integer(1, 1440, "duration in minutes (required)"),
    price: text("amount", "price, such as 45.00 (required unless it is free or on request)"),
    priceType: choice(["FIXED", "FROM", "FREE", "ON_REQUEST"], "kind of price (default FIXED)"),
    key: text("key", "key for commands and catalog files (default: from the name)"),
    category: text("key", "service category"),
    description: text("text", "description"),
    staff: texts("key", "who performs it (repeatable; default: every bookable staff member)"),
    withoutStaff: toggle("it needs no staff member, like a sauna"),
  },
  examples: [
    "services create --name 'Scalp detox' --duration 30 --price 35.00",
    "services create --name 'Wedding styling' --duration 90 --price-type ON_REQUEST --staff maya",
  ],
  async run(cli, { duration, price, priceType, withoutStaff, staff, ...given }) {
    if (duration === undefined) throw usageError("Missing --duration <n>.", "add it in minutes");
    if (withoutStaff && staff.length > 0)
      throw usageError("--without-staff cannot be combined with --staff.");
    const { rt, business } = await cli.openBusiness();
    const { createService } = await import("../../../app/catalog/changes/edit-catalog.ts");
    const item = {
      ...given,
      key: given.key ?? keyFromName(given.name),
      durationMin: duration,
      priceType,
      priceCents: price === undefined ? undefined : parsePrice(price, business.doc),
    };
    const performers = withoutStaff
      ? []
      : staff.length > 0
        ? staff.map((name) => toKey(rt, business, "staff", name))
        : ("everyone" as const);
    const { result, staff: performedBy } = namingFlags({ price: "--price", key: "--key" }, () =>
      createService(rt, business.slug, item, performers),
    );
    reportChange(cli, result);
    if (performers !== "everyone" || performedBy.length === 0) return;
    cli.note(
      `${cli.verb("Performed", "be performed")} by ${performedBy.join(", ")}. To change it: ${cli.program} staff update KEY --remove-service ${shellQuote(item.key)} --business ${business.slug}`,
    );
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
    all: toggle("set the price or duration of every variant"),
  },
  examples: [
    "services update beard-trim --price 45.00",
    "services update cut --variant cut-junior --price 62.00 --duration 70",
    "services update cut --description 'Consultation, wash, cut and dry.'",
  ],
  async run(cli, { variant, all, duration, ...given }, service) {
    const { rt, business } = await cli.openBusiness();
    const { slug, doc: businessDoc } = business;
    const edits = parseEdits({ ...given, durationMin: duration }, businessDoc);
    const { editObject } = await import("../../../app/catalog/changes/edit-object.ts");
    /** The variants that keep their own prices although the service gets a new price. */
    let kept: VariantDoc[] = [];
    const isConfirmed = cli.flags.yes || cli.flags.dryRun;
    const result = await whenConfirmed(cli, isConfirmed, (confirmed) =>
      editObject(
        rt,
        slug,
        "service",
        toKey(rt, business, "service", service),
        (doc) => {
          const defaultVariant = doc.variants.find(({ isDefault }) => isDefault);
          const selection = {
            noun: "variant",
            parts: doc.variants,
            selected: variant,
            all,
          } as const;
          const variants = withEditedParts(
            { ...selection, isPartRequired: defaultVariant !== undefined },
            edits,
          );
          if (variants === doc.variants) kept = variants;
          const edited = variant === undefined ? withEdits(doc, edits) : doc;
          const isShownEdited = defaultVariant !== variants.find(({ isDefault }) => isDefault);
          if (!isShownEdited) return { ...edited, variants };
          // Partners show the price and duration of the default variant as those of the service, so
          // an edit of this variant also changes the service. A service that is free or on request
          // has no price in catalog files, and gets none.
          const { durationMin } = edits;
          const priceCents = hasPrice(doc) ? edits.priceCents : undefined;
          return withGiven({ ...edited, variants }, { durationMin, priceCents });
        },
        confirmed,
      ),
    );
    reportChange(cli, result);
    if (edits.priceCents === undefined || kept.length === 0) return;
    const prices = kept.map(
      ({ key, priceCents }) => `${key} ${formatMoney(priceCents, businessDoc)}`,
    );
    cli.note(
      `The variants keep their prices: ${prices.join(", ")}. Add --variant KEY to change one.`,
    );
  },
});

export const definition = [...listAndShow, create, update];
