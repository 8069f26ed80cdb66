import { FEATURES } from "../features/index.ts";
import {
  type CommandGroup,
  type CommandSpec,
  type CommandVariant,
  withVariants,
} from "./command.ts";
import type { CommandEntry, FeatureSubcommands } from "./command-entry.ts";

/** Loads a command, or a group with the commands that features add to it. */
export async function loadCommand({
  name,
  about,
  load,
}: CommandEntry): Promise<CommandSpec | CommandGroup> {
  const { definition } = await load();
  return "run" in definition
    ? withVariants({ ...definition, name, about }, await loadVariants(name))
    : withSubcommands({ name, about, commands: definition });
}

const loadVariants = async (command: string): Promise<CommandVariant[]> => {
  const ofFeatures = FEATURES.flatMap(({ variants = [] }) => variants).filter(
    (variant) => variant.command === command,
  );
  const loaded = await Promise.all(ofFeatures.map(({ load }) => load()));
  return loaded.flatMap(({ variants }) => variants);
};

async function withSubcommands(group: CommandGroup, path = group.name): Promise<CommandGroup> {
  const commands = await Promise.all(
    group.commands.map((child) =>
      "commands" in child ? withSubcommands(child, `${path} ${child.name}`) : child,
    ),
  );
  const added = await Promise.all(
    FEATURES.flatMap<FeatureSubcommands>(({ subcommands = [] }) => subcommands)
      .filter((subcommand) => subcommand.group === path)
      .map(async ({ after, load }) => ({ after, ...(await load()) })),
  );
  const placeOf = (name: string | undefined) => commands.findIndex((one) => one.name === name);
  // The last ones are inserted first, because each is put before those that are there.
  for (const { after, subcommands } of added.reverse())
    for (const one of subcommands.toReversed()) {
      const replaced = placeOf(one.name);
      if (replaced >= 0) commands[replaced] = one;
      else commands.splice(placeOf(after) + 1, 0, one);
    }
  return { ...group, commands };
}
