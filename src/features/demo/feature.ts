import type { Feature } from "../feature.ts";

/** Runs a daemon with sample data, a webhook receiver and price changes. */
export const demo = {
  name: "demo",
  uses: ["desk", "live-view", "public-pages", "webhook-tools"],
  commands: [
    {
      name: "demo",
      about: "Run a demo: a seeded API, a webhook receiver, and price changes that reach it.",
      heading: "Begin",
      after: null,
      load: () => import("./commands/demo.ts"),
    },
  ],
} as const satisfies Feature;
