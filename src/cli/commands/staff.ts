import type { CommandGroup } from "../command.ts";
import { readOnlyCommands } from "../objects/object-commands.ts";

export const staff: CommandGroup = {
  name: "staff",
  about: "List and show staff members.",
  commands: readOnlyCommands({
    kind: "staff",
    noun: "staff",
    example: { business: "salon-aurora", key: "maya" },
    about: {
      list: "List staff members, including those without a public profile.",
      show: "Show a staff member with hours, breaks and the time off from the catalog file.",
    },
    columns: () => [
      { title: "TITLE", value: ({ title }) => title },
      { title: "PROFILE", value: (person) => (person.public ? "public" : "hidden") },
      { title: "BOOKABLE", value: ({ bookable }) => (bookable ? "yes" : "no") },
    ],
    withTimes: (doc, time) => ({
      ...doc,
      timeOff: doc.timeOff.map(({ from, to }) => ({ from: time(from), to: time(to) })),
    }),
  }),
};
