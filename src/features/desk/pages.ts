import { definePages } from "../../http/pages/pages.ts";
import { SCANNER } from "./rules.ts";

/**
 * The pages of the desk and of the links in alerts. The cookie of a device or the token of a link
 * opens them, and no API key does.
 */
export const pages = [
  definePages(
    "desk",
    [
      { path: "desk", load: async () => (await import("./show-desk.tsx")).showDesk },
      {
        method: "POST",
        path: "desk",
        load: async () => (await import("./show-desk.tsx")).postAction,
      },
      { path: "desk/pair/:token", load: async () => (await import("./pair.tsx")).showPairing },
      {
        method: "POST",
        path: "desk/pair/:token",
        load: async () => (await import("./pair.tsx")).postPairing,
      },
      {
        method: "POST",
        path: "desk/unpair",
        load: async () => (await import("./pair.tsx")).postUnpairing,
      },
      {
        path: "alert-links/:token/:decision",
        load: async () => (await import("./alert-links/show-link.tsx")).showAlertLink,
      },
      {
        method: "POST",
        path: "alert-links/:token/:decision",
        load: async () => (await import("./alert-links/show-link.tsx")).postAlertLink,
      },
    ],
    [SCANNER],
  ),
];
