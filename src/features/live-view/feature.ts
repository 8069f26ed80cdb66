import type { Feature } from "../feature.ts";

/** Shows deliveries, endpoints and the visits of a day live in the terminal. */
export const liveView = {
  name: "live-view",
  uses: ["guest-mail"],
  commands: [
    {
      name: "tui",
      about: "Watch deliveries live, and redeliver failed ones.",
      heading: "Server",
      after: "status",
      load: () => import("./commands.ts"),
    },
  ],
} as const satisfies Feature;
