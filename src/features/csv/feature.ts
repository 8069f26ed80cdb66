import type { Feature } from "../feature.ts";

/** Exports services and dishes as a CSV table, and imports the edited table. */
export const csv = {
  name: "csv",
  subcommands: [{ group: "catalog import", load: () => import("./commands.ts") }],
  formats: [
    {
      name: "csv",
      about: "contains only services and dishes",
      next: "import csv",
      load: () => import("./export.ts"),
    },
  ],
} as const satisfies Feature;
