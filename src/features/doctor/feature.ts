import type { Feature } from "../feature.ts";

/** Checks the whole server on request, and says how to fix each problem. */
export const doctor = {
  name: "doctor",
  commands: [
    {
      name: "doctor",
      about:
        "Check the server for problems and print the command that fixes each one. Exits with 6 if a problem needs fixing.",
      heading: "Server",
      after: "status",
      load: () => import("./commands.ts"),
    },
  ],
} as const satisfies Feature;
