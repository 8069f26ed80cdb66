import type { Feature } from "../feature.ts";

/** Exports or erases all stored data of a guest. */
export const guestData = {
  name: "guest-data",
  commands: [
    {
      name: "guests",
      about: "Print or erase all stored data of a guest.",
      heading: "Visits and tickets",
      after: "time-off",
      load: () => import("./commands.ts"),
    },
  ],
  auditActions: ["guests.exported", "guests.erased"],
} as const satisfies Feature;
