import { writeFileSync } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/safe-text.ts";
import { readSources, readText } from "../catalog-files.ts";
import { reportChange } from "../change-report.ts";
import { command, type Group } from "../command.ts";
import { requiredText, text, toggle } from "../flags.ts";

const apply = command({
  name: "apply",
  about: "Bring a business to what its catalog files say, and tell its partners what changed.",
  arguments: ["<files...>"],
  flags: {
    prune: toggle("remove what the named sections do not list"),
    dryRun: toggle("say what would change and which events it would cause, write nothing"),
  },
  examples: ["catalog apply salon.yaml --dry-run", "catalog apply salon.yaml prices.yaml --prune"],
  async run(cli, { prune, dryRun }, names) {
    const sources = await readSources(names, cli.io.stdin);
    const rt = await cli.open({ create: true });
    const { applyCatalog } = await import("../../app/catalog.ts");
    reportChange(cli, applyCatalog(rt, sources, { prune, dryRun }), { dryRun });
  },
});

const square = command({
  name: "square",
  about: "Turn a catalog that Square has published into a catalog file, with a report of what was left out.",
  arguments: ["<file>"],
  flags: {
    businessSlug: requiredText("slug", "slug of the business"),
    businessName: text("name", "its name; the slug if not given"),
    timezone: requiredText("zone", "its time zone, such as Europe/Zurich"),
    currency: requiredText("code", "its currency, such as CHF"),
    out: text("file", "write the catalog there instead of stdout"),
  },
  examples: [
    "catalog import square items.json --business-slug cafe-lumen --timezone Europe/Zurich --currency CHF --out cafe.yaml",
    "catalog import square items.json --business-slug joes --timezone America/New_York --currency USD | less",
  ],
  async run(cli, { out, ...business }, path) {
    const { importSquare } = await import("../../app/import-square.ts");
    const { yaml, report } = importSquare(readText(path), business);
    if (out !== undefined) writeNew(out, yaml);
    if (cli.flags.json) cli.printObject({ ...(out === undefined ? { yaml } : { file: out }), ...report });
    else if (out === undefined) cli.io.stdout.write(cli.io.stdout.isTTY ? safeLines(yaml) : yaml);
    for (const line of report.taken) cli.note(`taken: ${line}`);
    for (const { what, why } of report.left) cli.note(`left:  ${safe(what)}: ${safe(why)}`);
    if (out !== undefined) cli.note(`next:  ${cli.program} catalog apply ${out} --dry-run`);
  },
});

const safeLines = (yaml: string): string =>
  yaml
    .split("\n")
    .map((line) => safe(line, 10_000))
    .join("\n");

function writeNew(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new AppError("state_refuses", `${path} is there already.`, { fix: "name another file with --out" });
  }
}

export const catalog: Group = {
  name: "catalog",
  about: "Catalog files: apply them, or make one from another system's export.",
  commands: [apply, { name: "import", about: "Make a catalog file from another system's export.", commands: [square] }],
};
