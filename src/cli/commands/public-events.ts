import { formatInstant } from "../../domain/local-time.ts";
import { objectCommands } from "../objects/objects.ts";

export const definition = objectCommands({
  kind: "public_event",
  noun: "public-events",
  example: { business: "kita-live", key: "blue-hour-quartet" },
  about: {
    list: "List events with tickets, including drafts and past ones.",
    show: "Show an event with its ticket types and quotas.",
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
  withTimes: (doc, time) => ({
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
});
