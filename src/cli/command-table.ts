import type { CommandSpec, CommandGroup } from "./command.ts";

/** What the program's own help needs to know of a command, and where the rest of it is. */
export type CommandEntry = {
  name: string;
  /** As the command says it itself. */
  about: string;
  load: () => Promise<CommandSpec | CommandGroup>;
};

/** Every command, in the order of the help. One is loaded when a line names it, so that the others cost it nothing. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "demo",
    about:
      "Show it at work: a seeded API, a receiver that verifies signatures, and changes that reach it.",
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  {
    name: "serve",
    about: "Run the daemon: the HTTP API, and the courier that delivers webhooks.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "status",
    about:
      "Show whether all is well: daemon, queue, endpoints, backups, disk. Exits with 6 while something is wrong.",
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "init",
    about: "Write a short, commented catalog file to begin with.",
    load: async () => (await import("./commands/init.ts")).init,
  },
  {
    name: "seed",
    about:
      "Fill the box with a business: restaurant, salon, venue, all of them, or a catalog file of yours.",
    load: async () => (await import("./commands/seed.ts")).seed,
  },
  {
    name: "businesses",
    about: "The businesses on this box.",
    load: async () => (await import("./commands/businesses.ts")).businesses,
  },
  {
    name: "catalog",
    about: "Catalog files: apply them, write them, or make one from another system's export.",
    load: async () => (await import("./commands/catalog.ts")).catalog,
  },
  {
    name: "services",
    about: "What can be booked.",
    load: async () => (await import("./commands/services.ts")).services,
  },
  {
    name: "menu",
    about: "The dishes of a restaurant.",
    load: async () => (await import("./commands/menu.ts")).menu,
  },
  {
    name: "staff",
    about: "Who works here.",
    load: async () => (await import("./commands/staff.ts")).staff,
  },
  {
    name: "promotions",
    about: "What is cheaper, and when.",
    load: async () => (await import("./commands/promotions.ts")).promotions,
  },
  {
    name: "public-events",
    about: "Concerts, dinners and classes with tickets.",
    load: async () => (await import("./commands/public-events.ts")).publicEvents,
  },
  {
    name: "availability",
    about: "Show when a service, a visit of several or a table can be booked.",
    load: async () => (await import("./commands/availability.ts")).availability,
  },
  {
    name: "bookings",
    about: "Who has booked which service, and when.",
    load: async () => (await import("./commands/bookings.ts")).bookings,
  },
  {
    name: "reservations",
    about: "Who has reserved a table, and when.",
    load: async () => (await import("./commands/reservations.ts")).reservations,
  },
  {
    name: "orders",
    about: "Tickets that customers have ordered.",
    load: async () => (await import("./commands/ticket-orders.ts")).ticketOrders,
  },
  {
    name: "tickets",
    about: "Tickets of confirmed orders, and who has come in.",
    load: async () => (await import("./commands/tickets.ts")).tickets,
  },
  {
    name: "time-off",
    about: "When people are away, beside what the catalog file says.",
    load: async () => (await import("./commands/time-off.ts")).timeOff,
  },
  {
    name: "keys",
    about: "The API keys of partners.",
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  {
    name: "webhooks",
    about: "Where partners have their webhooks sent.",
    load: async () => (await import("./commands/webhooks.ts")).webhooks,
  },
  {
    name: "deliveries",
    about: "What was sent to webhook endpoints, and what is still owed.",
    load: async () => (await import("./commands/deliveries.ts")).deliveries,
  },
  {
    name: "events",
    about: "What has happened to the businesses, as their partners are told.",
    load: async () => (await import("./commands/events.ts")).events,
  },
  {
    name: "tui",
    about: "Watch deliveries live: what fails, why, and one key to send it again.",
    load: async () => (await import("./commands/tui.ts")).tui,
  },
  {
    name: "backup",
    about: "Copies of the data; alone: make one now.",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  {
    name: "restore",
    about:
      "Put a backup in the place of the data, while no daemon runs; the data that were there are kept beside it.",
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  {
    name: "doctor",
    about:
      "Examine everything that can go wrong with this box, and name the command that mends it. Exits with 6 when something must be mended.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "openapi",
    about:
      "Print the OpenAPI description of the HTTP API, the same that the daemon answers at /openapi.json.",
    load: async () => (await import("./commands/openapi.ts")).openapi,
  },
  {
    name: "service",
    about: "Run deskbell as a service of the system.",
    load: async () => (await import("./commands/service-unit.ts")).service,
  },
  {
    name: "completion",
    about: "Print what makes a shell complete commands, ids and keys: bash, zsh, fish, powershell.",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
];
