import type { Feature } from "../feature.ts";

/** Runs the daemon as a service of systemd. */
export const systemd = {
  name: "systemd",
  commands: [
    {
      name: "systemd-unit",
      about: "Print a systemd unit that runs this program in a sandbox.",
      heading: "Installation",
      after: null,
      load: () => import("./commands.ts"),
    },
  ],
} as const satisfies Feature;
