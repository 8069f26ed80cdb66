import type { CommandGroup, CommandSpec, CommandVariant } from "./command.ts";

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

/** The command of a feature, and that of the core after which the help lists it; null: first. */
export type FeatureCommand = CommandEntry & { heading: Heading; after: string | null };

/** Commands of a feature for a group such as `catalog import`. */
export type FeatureSubcommands = {
  group: string;
  /** The command after which the help lists the others; absent: they come first. */
  after?: string;
  load: () => Promise<{ subcommands: readonly CommandSpec[] }>;
};

/** Variants of a command, such as `status --servers`. */
export type FeatureVariants = {
  /** The command with its groups: `catalog diff`. */
  command: string;
  load: () => Promise<{ variants: readonly CommandVariant[] }>;
};
