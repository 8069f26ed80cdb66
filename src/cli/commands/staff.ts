import type { CommandGroup } from "../command.ts";
import { readOnlyCommands } from "../objects/object-commands.ts";

export const staff: CommandGroup = {
  name: "staff",
  about: "Who works here.",
  commands: readOnlyCommands({
    kind: "staff",
    noun: "staff",
    example: { business: "salon-aurora", key: "maya" },
    about: {
      list: "List the people, those without a public profile too, in their order.",
      show: "Show a person with their hours, breaks and absences of the catalog file.",
    },
    columns: () => [
      { title: "TITLE", value: ({ title }) => title },
      { title: "PROFILE", value: (person) => (person.public ? "public" : "hidden") },
      { title: "BOOKABLE", value: ({ bookable }) => (bookable ? "yes" : "no") },
    ],
    shown: (doc, time) => ({
      ...doc,
      timeOff: doc.timeOff.map(({ from, to }) => ({ from: time(from), to: time(to) })),
    }),
  }),
};
