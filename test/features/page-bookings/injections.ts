import { getBusiness } from "../../../src/app/businesses.ts";
import { getPageKey } from "../../../src/features/page-bookings/access.ts";
import type { pageBookings } from "../../../src/features/page-bookings/feature.ts";
import { createPageBookingStore } from "../../../src/features/page-bookings/store.ts";
import { publishPage, unpublishPage } from "../../../src/features/public-pages/publish.ts";
import type { Injection } from "../../support/conditions.ts";
import { edit } from "../../support/edit-database.ts";

export const injections: Record<keyof typeof pageBookings.conditions, Injection> = {
  "page.share_used": (rt) => {
    const { slug } = rt.business;
    publishPage(rt, slug, {
      booking: "REQUEST",
      privacyUrl: "https://shop.example/privacy",
      imprintUrl: "https://shop.example/imprint",
    });
    rt.tx(() => {
      const keyId = getPageKey(rt, getBusiness(rt, slug));
      rt.openStore(createPageBookingStore).setRefused(keyId, rt.now());
    });
    return () => {
      unpublishPage(rt, slug);
      // No daemon sends the events of these changes, so their deliveries would count as late.
      edit(rt, "UPDATE delivery SET status = 'CANCELLED', next_attempt_at = NULL");
    };
  },
};
