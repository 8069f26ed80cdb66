import { readAsset } from "../../../platform/assets.ts";
import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";

/** The shells with a script `data/completion.SHELL`. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

export const definition = command({
  arguments: ["<shell>"],
  // Shells are offered without a description, because their names say enough.
  values: Object.fromEntries(SHELLS.map((shell) => [shell, ""])),
  examples: [
    "completion bash >> ~/.bashrc",
    "completion fish > ~/.config/fish/completions/deskbell.fish",
  ],
  run(cli, _flags, shell) {
    const known = SHELLS.find((name) => name === shell);
    if (known === undefined)
      throw usageError(
        `There is no completion for the shell '${shell}'.`,
        `deskbell completion bash, or one of ${SHELLS.slice(1).join(", ")}`,
      );
    const script = readAsset(`data/completion.${known}`).toString();
    if (cli.flags.json) return cli.printObject({ shell, script });
    cli.io.stdout.write(script);
  },
});
