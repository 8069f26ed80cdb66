import type { Feature } from "../feature.ts";

/** Shows partners' requests while they happen. Nothing is kept while nobody watches. */
export const requestTail = {
  name: "request-tail",
  commands: [
    {
      name: "requests",
      about: "Watch the requests of partners as they happen.",
      heading: "Partners",
      after: "keys",
      load: () => import("./commands.ts"),
    },
  ],
  routes: () => import("./routes.ts"),
  schemas: ["SeenRequestsResponse"],
  openapi: () => import("./openapi.ts"),
} as const satisfies Feature;
