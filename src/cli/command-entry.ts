import { FEATURES } from "../features/index.ts";
import type { CommandGroup, CommandSpec } from "./command.ts";

/** The headings of the help, in its order. */
export const HEADINGS = [
  "Begin",
  "Catalog",
  "Visits and tickets",
  "Partners",
  "Server",
  "Backups",
  "Installation",
] as const;
export type Heading = (typeof HEADINGS)[number];

/** A command as the help of the program lists it. */
export type CommandEntry = {
  name: string;
  about: string;
  /** Imports the rest: a command, or the commands of a group. */
  load: () => Promise<{ definition: CommandSpec | CommandGroup["commands"] }>;
};

/** The command of a feature, and the one after which the help lists it; null: the first one. */
export type FeatureCommand = CommandEntry & { heading: Heading; after: string | null };

/** Commands of a feature for a group such as `catalog import`, in which they come first. */
export type FeatureSubcommands = {
  group: string;
  load: () => Promise<{ subcommands: readonly CommandSpec[] }>;
};

/** Loads a command, or a group with the commands that features add to it. */
export async function loadCommand({
  name,
  about,
  load,
}: CommandEntry): Promise<CommandSpec | CommandGroup> {
  const { definition } = await load();
  return "run" in definition
    ? { ...definition, name, about }
    : withSubcommands({ name, about, commands: definition });
}

async function withSubcommands(group: CommandGroup, path = group.name): Promise<CommandGroup> {
  const added = await Promise.all(
    FEATURES.flatMap(({ subcommands = [] }) => subcommands)
      .filter((subcommand) => subcommand.group === path)
      .map(({ load }) => load()),
  );
  const commands = await Promise.all(
    group.commands.map((child) =>
      "commands" in child ? withSubcommands(child, `${path} ${child.name}`) : child,
    ),
  );
  return { ...group, commands: [...added.flatMap(({ subcommands }) => subcommands), ...commands] };
}
