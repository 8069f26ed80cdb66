import type { Feature } from "../feature.ts";

/** Stores what each catalog change replaces, for the history, earlier versions and undo. */
export const undo = {
  name: "undo",
  subcommands: [{ group: "catalog", after: "diff", load: () => import("./commands.ts") }],
  variants: [{ command: "catalog diff", load: () => import("./commands.ts") }],
  undoCommand: "catalog undo",
  retention: () => import("./retention.ts"),
  auditActions: ["catalog.undone"],
} as const satisfies Feature;
