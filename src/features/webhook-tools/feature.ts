import type { Feature } from "../feature.ts";

/** Helps to build a receiver: tests an endpoint, and verifies, receives and forwards webhooks. */
export const webhookTools = {
  name: "webhook-tools",
  subcommands: [
    { group: "webhooks", after: "update", load: () => import("./commands/test.ts") },
    { group: "webhooks", after: "rotate-secret", load: () => import("./commands/receive.ts") },
    { group: "webhooks", after: "rotate-secret", load: () => import("./commands/listen.ts") },
  ],
} as const satisfies Feature;
