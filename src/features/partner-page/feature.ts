import type { Feature } from "../feature.ts";

/** Serves a page at /b/{slug}/partner, on which a partner's engineer tests and repairs webhooks. */
export const partnerPage = {
  name: "partner-page",
  partnerPath: "partner",
  pages: () => import("./pages.ts"),
} as const satisfies Feature;
