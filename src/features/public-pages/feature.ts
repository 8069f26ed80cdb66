import type { Feature } from "../feature.ts";

/** Shows guests what the catalog of a business says, at /b/{slug}, if the business is published. */
export const publicPages = {
  name: "public-pages",
  uses: ["calendars"],
  subcommands: [
    { group: "businesses", after: "show", load: () => import("./commands/publish.ts") },
  ],
  pages: () => import("./pages.ts"),
  status: () => import("./commands/status.ts"),
  metrics: () => import("./metrics.ts"),
} as const satisfies Feature;
