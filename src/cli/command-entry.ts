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

/** The command of a feature, and the one after which the help lists it. */
export type FeatureCommand = CommandEntry & { heading: Heading; after: string };

export async function loadCommand({
  name,
  about,
  load,
}: CommandEntry): Promise<CommandSpec | CommandGroup> {
  const { definition } = await load();
  return "run" in definition
    ? { ...definition, name, about }
    : { name, about, commands: definition };
}
