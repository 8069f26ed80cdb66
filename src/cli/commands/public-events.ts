import { formatInstant } from "../../domain/business-time.ts";
import type { CommandGroup } from "../command.ts";
import { readOnlyCommands } from "../objects/object-commands.ts";

export const publicEvents: CommandGroup = {
  name: "public-events",
  about: "Concerts, dinners and classes with tickets.",
  commands: readOnlyCommands({
    kind: "public_event",
    noun: "public-events",
    example: { business: "kita-live", key: "blue-hour-quartet" },
    about: {
      list: "List the events with tickets, drafts and past ones too, in their order.",
      show: "Show an event with its ticket types and how many places there are.",
    },
    columns: ({ timezone }) => [
      {
        title: "STARTS",
        value: ({ startsAt }) => formatInstant(startsAt, timezone).slice(0, 16),
        noTruncate: true,
      },
      { title: "VENUE", value: ({ venue }) => venue?.name, optional: true },
      { title: "TICKET TYPES", value: ({ ticketTypes }) => ticketTypes.length, align: "right" },
    ],
    shown: (doc, time) => ({
      ...doc,
      startsAt: time(doc.startsAt),
      endsAt: time(doc.endsAt),
      doorsAt: doc.doorsAt && time(doc.doorsAt),
      ticketTypes: doc.ticketTypes.map(({ salesStartAt, salesEndAt, ...type }) => ({
        ...type,
        salesStartAt: salesStartAt && time(salesStartAt),
        salesEndAt: salesEndAt && time(salesEndAt),
      })),
    }),
  }),
};
