import { readStarter } from "../../platform/assets.ts";
import { writeNewFile } from "../input/new-file.ts";
import { shellQuote } from "../../domain/text.ts";
import { command } from "../command.ts";

export const definition = command({
  arguments: ["[file]"],
  examples: ["init", "init my-salon.yaml", "init -"],
  run(cli, _flags, file = "catalog.yaml") {
    const content = readStarter();
    if (file === "-")
      return cli.flags.json ? cli.printObject({ content }) : cli.printContent(content);
    writeNewFile(file, content);
    if (cli.flags.json) return cli.printObject({ file });
    const name = shellQuote(file);
    cli.note(
      `Created ${name}. Edit it, then run:`,
      `  ${cli.program} catalog apply ${name} --dry-run   # preview`,
      `  ${cli.program} catalog apply ${name}`,
      `  ${cli.program} keys create --name website --scope services.read`,
      `  ${cli.program} serve`,
    );
  },
});
