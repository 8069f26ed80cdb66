import type { OtherVisits } from "../app/bookings/other-visits.ts";
import type { DaemonControl, FindErasedGuests, ReadGuestRecords } from "../app/feature-hooks.ts";
import type { Check, FindOpenSince, StorageCheck } from "../app/operations/conditions.ts";
import type { Inspection } from "../app/operations/inspection.ts";
import type { FormatMetrics, ReadCopyTimes } from "../app/operations/monitoring.ts";
import type { ExpiringRows } from "../app/operations/retention.ts";
import type { Runtime } from "../app/runtime.ts";
import type {
  CommandEntry,
  FeatureCommand,
  FeatureSubcommands,
  FeatureVariants,
} from "../cli/command-entry.ts";
import type { ReadStatusPart } from "../cli/commands/status.ts";
import type { LiveValues } from "../cli/live-values.ts";
import type { CatalogFormat } from "../cli/output/catalog-file.ts";
import type { Config } from "../config.ts";
import type { StartWork } from "../delivery/scheduler.ts";
import type { WorkerFailure } from "../delivery/start.ts";
import type { ConditionKind } from "../domain/conditions/registry.ts";
import type { AppError } from "../domain/errors.ts";
import type { OpenApiPart } from "../http/openapi/openapi-part.ts";
import type { CreatePages, RouteDefinition } from "../http/pipeline/route.ts";
import type { FeatureTable } from "../store/feature-tables.ts";
import type { DamagedDatabaseError } from "../store/database/storage-error.ts";

/** Tells the operator that the daemon refuses to start or has ended. Never throws. */
type ReportFailure = (config: Config, failure: WorkerFailure) => Promise<unknown>;

/** What a feature does in the daemon's main thread besides serving requests. */
export type DaemonPart = {
  /**
   * Called before the data are opened.
   * @throws AppError if the daemon must not start
   */
  prepare: (config: Config) => Promise<{
    /**
     * Called when the data are open and usable.
     * @throws AppError if the daemon must not start
     */
    opened: (rt: Runtime) => void;
    /**
     * Called once the daemon serves requests. Returns a function that ends what this call has
     * begun.
     */
    started?: (rt: Runtime, control: DaemonControl) => () => Promise<void>;
    /**
     * Makes a last copy of the data, after the last write of a daemon that is told to stop.
     * @returns false if the copy failed, which is logged
     */
    stopped?: (rt: Runtime) => Promise<boolean>;
  }>;
  /** Returns the error of a damaged database, with a fix added. */
  explainDamage: (config: Config, error: DamagedDatabaseError) => Promise<AppError>;
};

/**
 * An optional part of deskbell with its own folder. The core reaches it only through
 * features/index.ts. The list of features is only data, so every process can read it. The code of a
 * feature is loaded when it is used.
 */
export type Feature = {
  name: string;
  /** The features whose files this one may import. */
  uses?: readonly string[];
  commands?: readonly FeatureCommand[];
  /** Commands for programs, which the help does not list. */
  hiddenCommands?: readonly CommandEntry[];
  /** Commands that the feature adds to groups of the core. */
  subcommands?: readonly FeatureSubcommands[];
  /**
   * Flags that the feature adds to commands of the core. A command with such a flag runs the
   * feature's code.
   */
  variants?: readonly FeatureVariants[];
  /** The command that undoes changes of a catalog. */
  undoCommand?: string;
  /** The group of the commands `update` and `exclude` for partners of several businesses. */
  partnerCommands?: string;
  /** The path below /b/{slug}/ of the page that a partner opens with its key. */
  partnerPath?: string;
  /** The path below /b/{slug}/ of the page on which guests book, to which public pages link. */
  bookingPath?: string;
  /** The command that loads sample data into a new server. */
  sampleCommand?: string;
  /** Formats of `catalog export`. */
  formats?: readonly CatalogFormat[];
  /** The feature's routes; loaded when the daemon starts. */
  routes?: () => Promise<{ routes: readonly RouteDefinition[] }>;
  /** The names of the feature's schemas in the OpenAPI document. */
  schemas?: readonly string[];
  /** Schemas and examples; loaded when the OpenAPI document is built. */
  openapi?: () => Promise<{ openapi: readonly OpenApiPart[] }>;
  /** Pages for people, which are outside the API; loaded when the daemon starts. */
  pages?: () => Promise<{ pages: readonly CreatePages[] }>;
  /** The codes of the feature's health conditions. */
  conditions?: Readonly<Record<string, ConditionKind>>;
  /** Returns the open conditions; loaded by every process that lists conditions. */
  checks?: () => Promise<{ checks: readonly Check[] }>;
  /** Reports damage found in the database; called at each request of `/healthz` or `/readyz`. */
  damage?: () => Promise<{ damage: readonly StorageCheck[] }>;
  /** Returns when each open condition began; loaded with the checks. */
  openSince?: () => Promise<{ openSince: readonly FindOpenSince[] }>;
  /** The codes of the notices that the feature creates. */
  notices?: Readonly<Record<string, ConditionKind>>;
  /**
   * Whether the feature sends the notices of the core. The core stores its notices only if a
   * feature sends them.
   */
  takesNotices?: true;
  /** Starts work in the delivery thread; loaded when the thread starts. */
  schedule?: () => Promise<{ schedule: readonly StartWork[] }>;
  /** Reports failures; loaded if the configuration has a channel for alerts. */
  failures?: () => Promise<{ failures: readonly ReportFailure[] }>;
  /** What the feature adds to `status`. */
  status?: () => Promise<{ status: readonly ReadStatusPart[] }>;
  /** What the feature adds to `doctor`. */
  doctor?: () => Promise<{ doctor: readonly Inspection[] }>;
  /** What the feature does in the daemon's main thread; loaded when the daemon starts. */
  daemon?: () => Promise<{ daemon: readonly DaemonPart[] }>;
  /** Returns when the data were last copied; loaded when the daemon starts. */
  copyTimes?: () => Promise<{ copyTimes: readonly ReadCopyTimes[] }>;
  /** Returns where erased guests are still stored; loaded by the command that erases them. */
  erasedGuests?: () => Promise<{ erasedGuests: readonly FindErasedGuests[] }>;
  /** Returns what the feature stores about guests; loaded by the command that exports them. */
  guestRecords?: () => Promise<{ guestRecords: readonly ReadGuestRecords[] }>;
  /** Formats lines of `/metrics`; loaded when the daemon starts. */
  metrics?: () => Promise<{ metrics: readonly FormatMetrics[] }>;
  /** Rules of Prometheus about the feature's metrics, in YAML; loaded by `metrics rules`. */
  alertingRules?: () => Promise<{ alertingRules: readonly string[] }>;
  /** Lists that the feature adds to `AffectedVisits`, each with the noun for its visits. */
  visitNouns?: Readonly<Record<string, string>>;
  /** Objects of the feature that count as visits; loaded when the data are opened. */
  visits?: () => Promise<{ visits: readonly OtherVisits[] }>;
  /** Values from the data that shells complete; loaded when a shell asks for values. */
  completion?: () => Promise<{ completion: readonly LiveValues[] }>;
  /** Deletes old rows; loaded when the delivery thread starts. */
  retention?: () => Promise<{ retention: readonly ExpiringRows[] }>;
  /** The prefixes of the IDs of the feature's objects. */
  idPrefixes?: readonly string[];
  /** The actions of the feature that the audit log records. */
  auditActions?: readonly string[];
  /**
   * Tables whose column `sealed` contains encrypted secrets. The text for each table says what the
   * operator does if no key decrypts its secrets.
   */
  secretTables?: Readonly<Record<string, string>>;
  /** The tables of credentials for reading data. Each key is a noun for the rows of its table. */
  access?: Readonly<Record<string, FeatureTable>>;
  /** The tables that are empty after a restore. */
  emptiedByRestore?: readonly string[];
};
