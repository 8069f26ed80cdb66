import { loadCommand } from "../../src/cli/load-command.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import type { CommandGroup, CommandSpec } from "../../src/cli/command.ts";

/** A command and its words, such as `catalog import csv`. */
export type Leaf = { path: string; spec: CommandSpec };

const leavesOf = (nodes: readonly (CommandSpec | CommandGroup)[], before = ""): Leaf[] =>
  nodes.flatMap((node) =>
    "commands" in node
      ? leavesOf(node.commands, `${before}${node.name} `)
      : [{ path: `${before}${node.name}`, spec: node }],
  );

/** Loads all commands: the groups, and the commands in them. */
export async function loadCommands() {
  const specs = await Promise.all(COMMANDS.map(loadCommand));
  return { specs, leaves: leavesOf(specs) };
}
