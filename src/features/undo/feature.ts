import type { Feature } from "../feature.ts";

/** Keeps what each change of a catalog replaced: its history, earlier versions and undo. */
export const undo = {
  name: "undo",
  subcommands: [{ group: "catalog", after: "diff", load: () => import("./commands.ts") }],
  variants: [{ command: "catalog diff", load: () => import("./commands.ts") }],
  undoCommand: "catalog undo",
  retention: () => import("./retention.ts"),
  auditActions: ["catalog.undone"],
} as const satisfies Feature;
