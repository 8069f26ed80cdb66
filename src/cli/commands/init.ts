import { readStarter } from "../../assets.ts";
import { writeNew } from "../input/catalog-files.ts";
import { command } from "../command.ts";

export const init = command({
  name: "init",
  about: "Write a short, commented catalog file to begin with.",
  arguments: ["[file]"],
  examples: ["init", "init my-salon.yaml"],
  run(cli, _flags, file = "catalog.yaml") {
    writeNew(file, readStarter());
    if (cli.flags.json) return cli.printObject({ file });
    cli.note(`${file} is written. Make it yours, then:
  ${cli.program} catalog apply ${file} --dry-run   what it would do
  ${cli.program} catalog apply ${file}
  ${cli.program} keys create --name website --scope services.read
  ${cli.program} serve`);
  },
});
