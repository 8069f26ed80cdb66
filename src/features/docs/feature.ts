import type { Feature } from "../feature.ts";

/** Serves the pages at /docs, which the build makes, and prints the OpenAPI document. */
export const docs = {
  name: "docs",
  commands: [
    {
      name: "openapi",
      about: "Print the OpenAPI document of the HTTP API, as served at /openapi.json.",
      heading: "Partners",
      after: "events",
      load: () => import("./commands.ts"),
    },
  ],
  pages: () => import("./pages.ts"),
} as const satisfies Feature;
