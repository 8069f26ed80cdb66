import { command, type Group } from "../command.ts";

const list = command({
  name: "list",
  about: "List the businesses on this box.",
  examples: ["businesses list", "businesses list --json"],
  async run(cli) {
    const rt = await cli.open();
    const rows = rt.store.businesses.all().map(({ id, doc, catalogVersion }) => ({
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
        { title: "SLUG", value: (row) => row.slug, whole: true },
        { title: "NAME", value: (row) => row.name },
        { title: "TIMEZONE", value: (row) => row.timezone },
        { title: "CURRENCY", value: (row) => row.currency },
        { title: "VERSION", value: (row) => row.catalogVersion, align: "right" },
        { title: "ID", value: (row) => row.id, whole: true },
      ],
      "No business yet.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show a business and how much its catalog holds.",
  arguments: ["[slug]"],
  examples: ["businesses show salon-aurora", "businesses show --business cafe-lumen --json"],
  async run(cli, _flags, slug) {
    const rt = await cli.open();
    const { id, doc, schedule, catalogVersion, updatedAt } = cli.business(rt, slug);
    const objects = Object.entries(rt.store.catalog.objects(id));
    cli.printObject({
      id,
      ...doc,
      ...schedule,
      catalogVersion,
      updatedAt: new Date(updatedAt).toISOString(),
      objects: Object.fromEntries(objects.map(([kind, docs]) => [kind, docs.length])),
    });
  },
});

export const businesses: Group = { name: "businesses", about: "The businesses on this box.", commands: [list, show] };
