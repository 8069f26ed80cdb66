import type { CommandSpec, CommandGroup } from "./command.ts";

/** A command as the help of the program lists it, and a function that loads the rest. */
export type CommandEntry = {
  name: string;
  about: string;
  load: () => Promise<CommandSpec | CommandGroup>;
};

/** @param load imports a module with a command, or with the commands of a group */
const entry = (
  name: string,
  about: string,
  load: () => Promise<{ definition: CommandSpec | CommandGroup["commands"] }>,
): CommandEntry => ({
  name,
  about,
  load: async () => {
    const { definition } = await load();
    return "run" in definition
      ? { ...definition, name, about }
      : { name, about, commands: definition };
  },
});

/** All commands, in the order of the help. Only a command that the line names is loaded. */
export const COMMANDS: readonly CommandEntry[] = [
  entry(
    "demo",
    "Run a demo: a seeded API, a webhook receiver, and price changes that reach it.",
    () => import("./commands/demo.ts"),
  ),
  entry(
    "serve",
    "Run the daemon: the HTTP API and webhook delivery.",
    () => import("./commands/serve.ts"),
  ),
  entry(
    "status",
    "Show the state of the daemon, deliveries, endpoints, backups and disk. Exits with 6 if there is a problem.",
    () => import("./commands/status.ts"),
  ),
  entry(
    "proxy-map",
    "Print the part of a proxy's configuration that sends each business's requests to its server.",
    () => import("./commands/proxy-map.ts"),
  ),
  entry(
    "init",
    "Write a short, commented catalog file to start from.",
    () => import("./commands/init.ts"),
  ),
  entry(
    "seed",
    "Load a sample business (restaurant, salon, venue or all), a catalog file, or a generated business.",
    () => import("./commands/seed.ts"),
  ),
  entry(
    "businesses",
    "List, show and delete businesses.",
    () => import("./commands/businesses.ts"),
  ),
  entry(
    "catalog",
    "Apply, compare, undo, export and import catalogs.",
    () => import("./commands/catalog.ts"),
  ),
  entry(
    "services",
    "Create, list, show and update services.",
    () => import("./commands/services.ts"),
  ),
  entry(
    "menu",
    "List, show and update dishes, and mark them as sold out.",
    () => import("./commands/menu.ts"),
  ),
  entry(
    "staff",
    "Create, list, show, update and delete staff members.",
    () => import("./commands/staff.ts"),
  ),
  entry(
    "promotions",
    "List, show, update, pause, resume and end promotions.",
    () => import("./commands/promotions.ts"),
  ),
  entry(
    "public-events",
    "List, show, update, cancel and postpone events with tickets: concerts, dinners, classes.",
    () => import("./commands/public-events.ts"),
  ),
  entry(
    "hours",
    "List and update the opening hours of the business.",
    () => import("./commands/hours.ts"),
  ),
  entry(
    "closures",
    "Create, list and delete days on which the business is closed.",
    () => import("./commands/closures.ts"),
  ),
  entry(
    "availability",
    "Show when a service, a visit with several services, or a table is available.",
    () => import("./commands/availability.ts"),
  ),
  entry(
    "today",
    "Show the visits of the day: times, guests, services, staff and tables.",
    () => import("./commands/today.ts"),
  ),
  entry(
    "bookings",
    "Create, list, show, approve and cancel bookings of services.",
    () => import("./commands/bookings.ts"),
  ),
  entry(
    "reservations",
    "Create, list, show, approve and cancel table reservations.",
    () => import("./commands/reservations.ts"),
  ),
  entry(
    "ticket-orders",
    "Create, confirm, list, show and cancel ticket orders.",
    () => import("./commands/ticket-orders.ts"),
  ),
  entry(
    "calendars",
    "Create, list and revoke calendar feeds (iCal) for the phones of staff.",
    () => import("./commands/calendars.ts"),
  ),
  entry(
    "guests",
    "Print or erase all stored data of a guest.",
    () => import("./commands/guests.ts"),
  ),
  entry("tickets", "List tickets and check them in.", () => import("./commands/tickets.ts")),
  entry(
    "time-off",
    "Create, list and delete time off of staff members.",
    () => import("./commands/time-off.ts"),
  ),
  entry(
    "keys",
    "Create, list, show, rotate and revoke API keys.",
    () => import("./commands/keys.ts"),
  ),
  entry(
    "webhooks",
    "Manage webhook endpoints, and test, verify and receive webhooks.",
    () => import("./commands/webhooks.ts"),
  ),
  entry(
    "deliveries",
    "List, show, redeliver, cancel and follow webhook deliveries.",
    () => import("./commands/deliveries.ts"),
  ),
  entry(
    "destinations",
    "Publish events to a stream of a NATS server (JetStream).",
    () => import("./commands/destinations.ts"),
  ),
  entry(
    "events",
    "List and show the events sent to partners, or trigger one as a test.",
    () => import("./commands/events.ts"),
  ),
  entry(
    "tui",
    "Watch deliveries live, and redeliver failed ones.",
    () => import("./commands/tui.ts"),
  ),
  entry(
    "backup",
    "Create, list and verify backups. Without a subcommand, create one.",
    () => import("./commands/backup.ts"),
  ),
  entry(
    "restore",
    "Restore a backup (the daemon must be stopped). The current data is kept as a copy.",
    () => import("./commands/restore.ts"),
  ),
  entry(
    "doctor",
    "Check the server for problems and print the command that fixes each one. Exits with 6 if a problem needs fixing.",
    () => import("./commands/doctor.ts"),
  ),
  entry(
    "alerts",
    "List alerts, and send a test through each channel.",
    () => import("./commands/alerts.ts"),
  ),
  entry(
    "metrics",
    "Print the token and the alerting rules for Prometheus.",
    () => import("./commands/metrics.ts"),
  ),
  entry(
    "audit",
    "List who changed keys, endpoints and catalogs.",
    () => import("./commands/audit.ts"),
  ),
  entry(
    "openapi",
    "Print the OpenAPI document of the HTTP API, as served at /openapi.json.",
    () => import("./commands/openapi.ts"),
  ),
  entry(
    "guide",
    "Print a short guide, such as first-hour. Without a topic, list them.",
    () => import("./commands/guide.ts"),
  ),
  entry(
    "systemd-unit",
    "Print a systemd unit that runs this program in a sandbox.",
    () => import("./commands/systemd-unit.ts"),
  ),
  entry(
    "completion",
    "Print the completion script of a shell: bash, zsh, fish or powershell.",
    () => import("./commands/completion.ts"),
  ),
];
