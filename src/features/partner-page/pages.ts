import { definePages } from "../../http/pages/pages.ts";

export const pages = [
  definePages("partner-page", [
    { path: "partner", load: async () => (await import("./show-page.tsx")).showPartnerPage },
  ]),
];
