import { readStarter } from "../../assets.ts";
import { writeNewFile } from "../input/new-file.ts";
import { shellQuote } from "../../domain/shell-quote.ts";
import { command } from "../command.ts";

export const init = command({
  name: "init",
  about: "Write a short, commented catalog file to begin with.",
  arguments: ["[file]"],
  examples: ["init", "init my-salon.yaml"],
  run(cli, _flags, file = "catalog.yaml") {
    writeNewFile(file, readStarter());
    if (cli.flags.json) return cli.printObject({ file });
    const name = shellQuote(file);
    cli.note(`${name} is written. Make it yours, then:
  ${cli.program} catalog apply ${name} --dry-run   what it would do
  ${cli.program} catalog apply ${name}
  ${cli.program} keys create --name website --scope services.read
  ${cli.program} serve`);
  },
});
