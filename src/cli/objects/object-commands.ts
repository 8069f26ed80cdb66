import { formatInstant } from "../../domain/local-time.ts";
import type { BusinessDoc, DocOf, Kind } from "../../domain/catalog/catalog.ts";
import { command, type CommandSpec } from "../command.ts";
import { listObjects, resolveObject } from "./objects.ts";
import type { Column } from "../output/table.ts";

type ReadOnlyNoun<K extends Kind> = {
  kind: K;
  /** The plural on the command line: `public-events`. */
  noun: string;
  /** A business and the key of an object in it, for the examples of the help. */
  example: { business: string; key: string };
  about: { list: string; show: string };
  /** The columns between the name and the status. */
  columns: (business: BusinessDoc) => Column<DocOf[K]>[];
  /** Returns the document with its times formatted by `time`. */
  withTimes: (doc: DocOf[K], time: (ms: number) => string) => object;
};

/** Returns `list` and `show` for objects that only a catalog file can change. */
export function readOnlyCommands<K extends Kind>({
  kind,
  noun,
  example,
  about,
  columns,
  withTimes,
}: ReadOnlyNoun<K>): CommandSpec[] {
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
        `${business.slug} has no ${noun}.`,
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
      cli.printObject({ id, ...withTimes(doc as unknown as DocOf[K], time) });
    },
  });
  return [list, show];
}
