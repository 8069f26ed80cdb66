import type { Feature } from "../feature.ts";

/** Asks several servers for their state, and writes the map by which a proxy finds a business. */
export const servers = {
  name: "servers",
  commands: [
    {
      name: "proxy-map",
      about:
        "Print the part of a proxy's configuration that sends each business's requests to its server.",
      heading: "Installation",
      after: null,
      load: () => import("./commands/proxy-map.ts"),
    },
  ],
  routes: () => import("./routes.ts"),
  schemas: ["ServerStatusResponse"],
  openapi: () => import("./openapi.ts"),
  variants: [{ command: "status", load: () => import("./commands/status.ts") }],
} as const satisfies Feature;
