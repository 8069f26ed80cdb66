import type { Feature } from "../feature.ts";

/** Loads the sample businesses, or generates businesses of any size. */
export const samples = {
  name: "samples",
  commands: [
    {
      name: "seed",
      about:
        "Load a sample business (restaurant, salon, venue or all), a catalog file, or a generated business.",
      heading: "Begin",
      after: "init",
      load: () => import("./commands.ts"),
    },
  ],
  sampleCommand: "deskbell seed all",
} as const satisfies Feature;
