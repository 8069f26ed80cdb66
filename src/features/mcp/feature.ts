import type { Feature } from "../feature.ts";

/** Lets agents ask questions, find a time and book it through the Model Context Protocol. */
export const mcp = {
  name: "mcp",
  pages: () => import("./pages.ts"),
} as const satisfies Feature;
