import { objectCommands } from "../objects/objects.ts";

export const definition = objectCommands({
  kind: "staff",
  noun: "staff",
  example: { business: "salon-aurora", key: "maya" },
  about: {
    list: "List staff members, including those without a public profile.",
    show: "Show a staff member with hours, breaks and the time off from the catalog file.",
  },
  columns: () => [
    "title",
    { title: "PROFILE", value: (person) => (person.public ? "public" : "hidden") },
    { title: "BOOKABLE", value: ({ bookable }) => (bookable ? "yes" : "no") },
  ],
  withTimes: (doc, time) => ({
    ...doc,
    timeOff: doc.timeOff.map(({ from, to }) => ({ from: time(from), to: time(to) })),
  }),
});
