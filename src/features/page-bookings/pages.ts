import { definePages } from "../../http/pages/pages.ts";
import { embedRoute } from "./embed-route.ts";

export const pages = [
  definePages("page-bookings", [
    { path: "book", load: async () => (await import("./show/show-booking.tsx")).showBooking },
    {
      method: "POST",
      path: "book",
      load: async () => (await import("./post/post-booking.ts")).postBooking,
    },
    {
      method: "POST",
      path: "book/hold",
      load: async () => (await import("./post/post-booking.ts")).postHold,
    },
    { path: "v/:token", load: async () => (await import("./show/show-visit.tsx")).showVisit },
    {
      path: "v/:token/visit.ics",
      load: async () => (await import("./show/show-visit.tsx")).sendCalendarFile,
    },
    {
      method: "POST",
      path: "v/:token/cancel",
      load: async () => (await import("./show/show-visit.tsx")).postCancellation,
    },
    {
      method: "POST",
      path: "v/:token/confirm",
      load: async () => (await import("./show/show-hold.tsx")).postConfirmation,
    },
    {
      method: "POST",
      path: "v/:token/move",
      load: async () => (await import("./show/show-visit.tsx")).postMove,
    },
  ]),
  embedRoute,
];
