import type { Feature } from "../feature.ts";

/** Converts a Square catalog to a catalog file. */
export const square = {
  name: "square",
  subcommands: [{ group: "catalog import", load: () => import("./commands.ts") }],
} as const satisfies Feature;
