import type { Feature } from "../feature.ts";

/** Completes command lines in shells. */
export const completion = {
  name: "completion",
  commands: [
    {
      name: "completion",
      about: "Print the completion script of a shell: bash, zsh, fish or powershell.",
      heading: "Installation",
      after: null,
      load: () => import("./commands/completion.ts"),
    },
  ],
  hiddenCommands: [
    {
      name: "__complete",
      about: "Print the completions of the last word, one per line.",
      load: () => import("./commands/complete.ts"),
    },
  ],
} as const satisfies Feature;
