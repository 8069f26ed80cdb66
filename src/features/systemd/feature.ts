import type { Feature } from "../feature.ts";

/** Prints a unit with which systemd runs the daemon. */
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
