import { FEATURES } from "../features/index.ts";
import { type CommandEntry, HEADINGS, type Heading } from "./command-entry.ts";

/** The commands of the core, in the order of the help. */
const CORE: Record<Heading, readonly CommandEntry[]> = {
  Begin: [
    {
      name: "init",
      about: "Write a short, commented catalog file to start from.",
      load: () => import("./commands/init.ts"),
    },
    {
      name: "guide",
      about: "Print a short guide, such as first-hour. Without a topic, list all guides.",
      load: () => import("./commands/guide.ts"),
    },
  ],
  Catalog: [
    {
      name: "catalog",
      about: "Apply, compare, undo, export and import catalogs.",
      load: () => import("./commands/catalog/catalog.ts"),
    },
    {
      name: "services",
      about: "Create, list, show and update services.",
      load: () => import("./commands/catalog/services.ts"),
    },
    {
      name: "menu",
      about: "List, show and update dishes, and mark them as sold out.",
      load: () => import("./commands/catalog/menu.ts"),
    },
    {
      name: "staff",
      about: "Create, list, show, update and delete staff members.",
      load: () => import("./commands/catalog/staff.ts"),
    },
    {
      name: "promotions",
      about: "List, show, update, pause, resume and end promotions.",
      load: () => import("./commands/catalog/promotions.ts"),
    },
    {
      name: "public-events",
      about:
        "List, show, update, cancel and postpone events with tickets: concerts, dinners, classes.",
      load: () => import("./commands/catalog/public-events.ts"),
    },
    {
      name: "hours",
      about: "List and update the opening hours of the business.",
      load: () => import("./commands/catalog/hours.ts"),
    },
    {
      name: "closures",
      about: "Create, list and delete days on which the business is closed.",
      load: () => import("./commands/catalog/closures.ts"),
    },
  ],
  "Visits and tickets": [
    {
      name: "today",
      about: "Show the visits of the day: times, guests, services, staff and tables.",
      load: () => import("./commands/today.ts"),
    },
    {
      name: "availability",
      about: "Show when a service, a visit with several services, or a table is available.",
      load: () => import("./commands/availability.ts"),
    },
    {
      name: "bookings",
      about: "Create, list, show, approve and cancel bookings of services.",
      load: () => import("./commands/bookings.ts"),
    },
    {
      name: "reservations",
      about: "Create, list, show, approve and cancel table reservations.",
      load: () => import("./commands/reservations.ts"),
    },
    {
      name: "time-off",
      about: "Create, list and delete time off of staff members.",
      load: () => import("./commands/catalog/time-off.ts"),
    },
  ],
  Partners: [
    {
      name: "keys",
      about: "Create, list, show, rotate and revoke API keys.",
      load: () => import("./commands/keys.ts"),
    },
    {
      name: "webhooks",
      about: "Manage webhook endpoints, and test, verify and receive webhooks.",
      load: () => import("./commands/webhooks.ts"),
    },
    {
      name: "deliveries",
      about: "List, show, redeliver, cancel and follow webhook deliveries.",
      load: () => import("./commands/deliveries.ts"),
    },
    {
      name: "events",
      about: "List and show the events sent to partners, or trigger one as a test.",
      load: () => import("./commands/events.ts"),
    },
  ],
  Server: [
    {
      name: "serve",
      about: "Run the daemon: the HTTP API and webhook delivery.",
      load: () => import("./commands/serve.ts"),
    },
    {
      name: "status",
      about:
        "Show the state of the daemon, deliveries, endpoints, backups and disk. Exits with 6 if there is a problem.",
      load: () => import("./commands/status.ts"),
    },
    {
      name: "metrics",
      about: "Print the token and the alerting rules for Prometheus.",
      load: () => import("./commands/metrics.ts"),
    },
    {
      name: "audit",
      about: "List who changed keys, endpoints and catalogs.",
      load: () => import("./commands/audit.ts"),
    },
    {
      name: "businesses",
      about: "List, show, publish and delete businesses.",
      load: () => import("./commands/businesses.ts"),
    },
  ],
  Backups: [],
  Installation: [],
};

/**
 * All commands by the headings of the help. The module of a command is loaded only if the command
 * line names the command.
 */
export const COMMANDS_BY_HEADING: readonly (readonly [Heading, readonly CommandEntry[]])[] =
  HEADINGS.map((heading) => [heading, withFeatures(heading)]);

export const COMMANDS: readonly CommandEntry[] = COMMANDS_BY_HEADING.flatMap(
  ([, commands]) => commands,
);

/** Commands that the help does not list. */
export const HIDDEN_COMMANDS: readonly CommandEntry[] = FEATURES.flatMap<CommandEntry>(
  ({ hiddenCommands = [] }) => hiddenCommands,
);

function withFeatures(heading: Heading): CommandEntry[] {
  const commands = [...CORE[heading]];
  // The last commands are inserted first, so that commands with the same `after` keep their order.
  for (const command of FEATURES.flatMap((feature) => feature.commands ?? []).toReversed())
    if (command.heading === heading)
      // A command whose `after` is null goes to the place 0: `findIndex` returns -1 for it.
      commands.splice(commands.findIndex(({ name }) => name === command.after) + 1, 0, command);
  return commands;
}
