import type { Feature } from "../feature.ts";

/** Serves the pages at /docs, which the build writes. */
export const docs = {
  name: "docs",
  pages: () => import("./pages.ts"),
} as const satisfies Feature;
