import type { CommandGroup, CommandSpec, CommandVariant } from "./command.ts";

/** The headings of the help, in order. */
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
  /** Imports the definition of the command, or those of the commands of a group. */
  load: () => Promise<{ definition: CommandSpec | CommandGroup["commands"] }>;
};

/** A command of a feature. The help lists it after the command `after`; null puts it first. */
export type FeatureCommand = CommandEntry & { heading: Heading; after: string | null };

/** Commands that a feature adds to a group such as `catalog import`. */
export type FeatureSubcommands = {
  group: string;
  /** The command after which the help lists the added ones. If absent, they come first. */
  after?: string;
  load: () => Promise<{ subcommands: readonly CommandSpec[] }>;
};

/** Variants that a feature adds to a command, such as `status --servers`. */
export type FeatureVariants = {
  /** The command with its groups, such as `catalog diff`. */
  command: string;
  load: () => Promise<{ variants: readonly CommandVariant[] }>;
};
