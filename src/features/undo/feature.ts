import type { Feature } from "../feature.ts";

/**
 * Stores what each catalog change replaces, so that commands can list the changes, show earlier
 * versions and undo changes.
 */
export const undo = {
  name: "undo",
  subcommands: [{ group: "catalog", after: "diff", load: () => import("./commands.ts") }],
  variants: [{ command: "catalog diff", load: () => import("./commands.ts") }],
  undoCommand: "catalog undo",
  retention: () => import("./retention.ts"),
  auditActions: ["catalog.undone"],
} as const satisfies Feature;
