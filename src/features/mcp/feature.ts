import type { Feature } from "../feature.ts";

/** Lets agents ask, find a time and book, by the Model Context Protocol. */
export const mcp = {
  name: "mcp",
  pages: () => import("./pages.ts"),
} as const satisfies Feature;
