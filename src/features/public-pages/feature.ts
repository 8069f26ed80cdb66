import type { Feature } from "../feature.ts";

/** Shows guests what the catalog of a business says, at /b/{slug}, if the business is published. */
export const publicPages = {
  name: "public-pages",
  subcommands: [{ group: "businesses", after: "show", load: () => import("./commands.ts") }],
} as const satisfies Feature;
