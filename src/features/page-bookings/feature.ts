import type { Feature } from "../feature.ts";

/** Takes bookings on the page of a business, and shows guests their own visits. */
export const pageBookings = {
  name: "page-bookings",
  uses: ["public-pages", "calendars", "tickets"],
  bookingPath: "book",
  pages: () => import("./pages.ts"),
  guestRecords: () => import("./guest-records.ts"),
  retention: () => import("./retention.ts"),
  conditions: { "page.share_used": { severity: "warning", about: "booking" } },
  checks: () => import("./conditions.ts"),
  status: () => import("./commands/status.ts"),
  notices: { "order.received": { severity: "info", about: "booking" } },
  metrics: () => import("./metrics.ts"),
} as const satisfies Feature;
