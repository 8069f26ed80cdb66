import type { Check } from "../app/operations/conditions.ts";
import type { FeatureCommand, FeatureSubcommands } from "../cli/command-entry.ts";
import type { CatalogFormat } from "../cli/output/catalog-file.ts";
import type { ConditionKind } from "../domain/conditions/registry.ts";
import type { RouteDefinition } from "../http/pipeline/route.ts";
import type { FeatureTable } from "../store/access.ts";

/**
 * An optional part of deskbell, which has a folder of its own. The core reaches it only through
 * features/index.ts. A feature is data, and its code is loaded when it is used, so that every process
 * may read the list.
 */
export type Feature = {
  name: string;
  /** The features whose files it may import. */
  uses?: readonly string[];
  commands?: readonly FeatureCommand[];
  /** Commands that it adds to groups of the core. */
  subcommands?: readonly FeatureSubcommands[];
  /** Formats of `catalog export`. */
  formats?: readonly CatalogFormat[];
  /** Loaded when the daemon starts. */
  routes?: () => Promise<{ routes: readonly RouteDefinition[] }>;
  /** The codes of its health conditions. */
  conditions?: Readonly<Record<string, ConditionKind>>;
  /** Returns the conditions that are open; loaded by every process that lists conditions. */
  checks?: () => Promise<{ checks: readonly Check[] }>;
  /** Prefixes of the IDs of its objects. */
  idPrefixes?: readonly string[];
  auditActions?: readonly string[];
  /** The tables by which somebody reads data, by a name for their rows. */
  access?: Readonly<Record<string, FeatureTable>>;
};
