import { formatInstant } from "../../domain/business-time.ts";
import type { BusinessDoc, DocOf, Kind } from "../../domain/catalog/catalog.ts";
import { command, type CommandSpec } from "../command.ts";
import { listObjects, resolveObject } from "./objects.ts";
import type { Column } from "../output/table.ts";

type Looks<K extends Kind> = {
  kind: K;
  /** What they are called on the command line: `public-events`. */
  noun: string;
  /** An example's business and the key of an object in it. */
  example: { business: string; key: string };
  about: { list: string; show: string };
  /** Between the name and the status. */
  columns: (business: BusinessDoc) => Column<DocOf[K]>[];
  /** The document for a person: its instants on the business's clocks. */
  shown: (doc: DocOf[K], time: (ms: number) => string) => object;
};

/** `list` and `show` for objects that only a catalog file changes. */
export function readOnlyCommands<K extends Kind>({
  kind,
  noun,
  example,
  about,
  columns,
  shown,
}: Looks<K>): CommandSpec[] {
  const list = command({
    name: "list",
    about: about.list,
    examples: [`${noun} list --business ${example.business}`, `${noun} list --json`],
    async run(cli) {
      const rt = await cli.open();
      const business = cli.business(rt);
      cli.printList(
        listObjects(rt, business, kind),
        [
          { title: "KEY", value: ({ key }) => key, noTruncate: true },
          { title: "NAME", value: ({ name }) => name },
          ...columns(business.doc),
          { title: "STATUS", value: ({ status }) => status, noTruncate: true },
          { title: "ID", value: ({ id }) => id, noTruncate: true, optional: true },
        ],
        `${business.slug} has none.`,
      );
    },
  });
  const show = command({
    name: "show",
    about: about.show,
    arguments: [`<${noun.replace(/s$/, "")}>`],
    examples: [
      `${noun} show ${example.key} --business ${example.business}`,
      `${noun} show ${example.key} --business ${example.business} --json`,
    ],
    async run(cli, _flags, name = "") {
      const rt = await cli.open();
      const business = cli.business(rt);
      const { id, ...doc } = resolveObject(rt, business, kind, name);
      const time = (ms: number) => formatInstant(ms, business.doc.timezone);
      cli.printObject({ id, ...shown(doc as unknown as DocOf[K], time) });
    },
  });
  return [list, show];
}
