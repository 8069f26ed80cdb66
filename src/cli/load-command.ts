import { FEATURES } from "../features/index.ts";
import { type CommandGroup, type CommandSpec, withVariants } from "./command.ts";
import type { CommandEntry, FeatureSubcommands, FeatureVariants } from "./command-entry.ts";

/** Loads a command, or a group with the commands that features add to it. */
export async function loadCommand({
  name,
  about,
  load,
}: CommandEntry): Promise<CommandSpec | CommandGroup> {
  const { definition } = await load();
  return "run" in definition
    ? withFeatureVariants({ ...definition, name, about }, name)
    : withSubcommands({ name, about, commands: definition });
}

/**
 * Returns the command with the variants that features add.
 * @param path the command with its groups, such as `catalog diff`
 */
async function withFeatureVariants(command: CommandSpec, path: string): Promise<CommandSpec> {
  const ofFeatures = FEATURES.flatMap<FeatureVariants>(({ variants = [] }) => variants);
  const loaded = await Promise.all(
    ofFeatures.filter((variant) => variant.command === path).map(({ load }) => load()),
  );
  const variants = loaded.flatMap((module) => module.variants);
  return variants.length === 0 ? command : withVariants(command, variants);
}

async function withSubcommands(group: CommandGroup, path = group.name): Promise<CommandGroup> {
  const children = await Promise.all(
    group.commands.map((child) => {
      const childPath = `${path} ${child.name}`;
      return "commands" in child
        ? withSubcommands(child, childPath)
        : withFeatureVariants(child, childPath);
    }),
  );
  // A group whose commands all come from features, such as `catalog import`, is left out if no
  // feature adds a command.
  const commands = children.filter((child) => !("commands" in child) || child.commands.length > 0);
  const added = await Promise.all(
    FEATURES.flatMap<FeatureSubcommands>(({ subcommands = [] }) => subcommands)
      .filter((subcommand) => subcommand.group === path)
      .map(async ({ after, load }) => ({ after, ...(await load()) })),
  );
  // The last commands are inserted first, so that commands with the same `after` keep their order.
  for (const { after, subcommands } of added.reverse())
    commands.splice(commands.findIndex(({ name }) => name === after) + 1, 0, ...subcommands);
  return { ...group, commands };
}
