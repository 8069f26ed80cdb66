import { definePages } from "../../http/pages/pages.ts";
import { SCANNER } from "./rules.ts";

/** The pages of the desk. No API key reaches them, because they take the cookie of a device only. */
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
    ],
    [SCANNER],
  ),
];
