import type { CommandSpec, CommandGroup } from "./command.ts";

/** A command as the help of the program lists it, and a function that loads the rest. */
export type CommandEntry = {
  name: string;
  /** The same text as in the loaded command. */
  about: string;
  load: () => Promise<CommandSpec | CommandGroup>;
};

/** All commands, in the order of the help. Only a command that the line names is loaded. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "demo",
    about: "Run a demo: a seeded API, a webhook receiver, and price changes that reach it.",
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  {
    name: "serve",
    about: "Run the daemon: the HTTP API and webhook delivery.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "status",
    about:
      "Show the state of the daemon, deliveries, endpoints, backups and disk. Exits with 6 if there is a problem.",
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "init",
    about: "Write a short, commented catalog file to start from.",
    load: async () => (await import("./commands/init.ts")).init,
  },
  {
    name: "seed",
    about:
      "Load a sample business (restaurant, salon, venue or all), a catalog file, or a generated business.",
    load: async () => (await import("./commands/seed.ts")).seed,
  },
  {
    name: "businesses",
    about: "List, show and delete businesses.",
    load: async () => (await import("./commands/businesses.ts")).businesses,
  },
  {
    name: "catalog",
    about: "Apply, compare, export and import catalog files.",
    load: async () => (await import("./commands/catalog.ts")).catalog,
  },
  {
    name: "services",
    about: "List, show and update services.",
    load: async () => (await import("./commands/services.ts")).services,
  },
  {
    name: "menu",
    about: "List, show and update dishes, and mark them as sold out.",
    load: async () => (await import("./commands/menu.ts")).menu,
  },
  {
    name: "staff",
    about: "List and show staff members.",
    load: async () => (await import("./commands/staff.ts")).staff,
  },
  {
    name: "promotions",
    about: "List and show promotions.",
    load: async () => (await import("./commands/promotions.ts")).promotions,
  },
  {
    name: "public-events",
    about: "List and show events with tickets: concerts, dinners, classes.",
    load: async () => (await import("./commands/public-events.ts")).publicEvents,
  },
  {
    name: "availability",
    about: "Show when a service, a visit with several services, or a table is available.",
    load: async () => (await import("./commands/availability.ts")).availability,
  },
  {
    name: "bookings",
    about: "Create, list, show and cancel bookings of services.",
    load: async () => (await import("./commands/bookings.ts")).bookings,
  },
  {
    name: "reservations",
    about: "Create, list, show and cancel table reservations.",
    load: async () => (await import("./commands/reservations.ts")).reservations,
  },
  {
    name: "ticket-orders",
    about: "Create, confirm, list, show and cancel ticket orders.",
    load: async () => (await import("./commands/ticket-orders.ts")).ticketOrders,
  },
  {
    name: "tickets",
    about: "List tickets and check them in.",
    load: async () => (await import("./commands/tickets.ts")).tickets,
  },
  {
    name: "time-off",
    about: "Create, list and delete time off of staff members.",
    load: async () => (await import("./commands/time-off.ts")).timeOff,
  },
  {
    name: "keys",
    about: "Create, list, show, rotate and revoke API keys.",
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  {
    name: "webhooks",
    about: "Manage webhook endpoints, and test, verify and receive webhooks.",
    load: async () => (await import("./commands/webhooks.ts")).webhooks,
  },
  {
    name: "deliveries",
    about: "List, show, redeliver, cancel and follow webhook deliveries.",
    load: async () => (await import("./commands/deliveries.ts")).deliveries,
  },
  {
    name: "events",
    about: "List and show the events sent to partners, or trigger one as a test.",
    load: async () => (await import("./commands/events.ts")).events,
  },
  {
    name: "tui",
    about: "Watch deliveries live, and redeliver failed ones.",
    load: async () => (await import("./commands/tui.ts")).tui,
  },
  {
    name: "backup",
    about: "Create, list and verify backups. Without a subcommand, create one.",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  {
    name: "restore",
    about: "Restore a backup (the daemon must be stopped). The current data is kept as a copy.",
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  {
    name: "doctor",
    about:
      "Check the server for problems and print the command that fixes each one. Exits with 6 if a problem needs fixing.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "openapi",
    about: "Print the OpenAPI document of the HTTP API, as served at /openapi.json.",
    load: async () => (await import("./commands/openapi.ts")).openapi,
  },
  {
    name: "systemd-unit",
    about: "Print a systemd unit that runs this program in a sandbox.",
    load: async () => (await import("./commands/systemd-unit.ts")).systemdUnitCommand,
  },
  {
    name: "completion",
    about: "Print the completion script of a shell: bash, zsh, fish or powershell.",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
];
