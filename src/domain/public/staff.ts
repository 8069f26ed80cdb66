import type { z } from "zod";
import type { StaffDoc } from "../catalog/catalog.ts";
import { commonFields, idOf, type PublicContext } from "./public-context.ts";
import type { staff } from "./schemas/staff.ts";

export type PublicStaff = z.infer<typeof staff>;

export function toPublicStaff(doc: StaffDoc, context: PublicContext): PublicStaff {
  const id = idOf(context, "staff", doc);
  return {
    id,
    name: doc.name,
    title: doc.title,
    bio: doc.bio,
    languages: doc.languages,
    bookable: doc.bookable,
    // Sorted by ID, so that moving a service does not change the staff.
    serviceIds: context.servicesOf(doc.key).toSorted(),
    serviceOverrides: doc.serviceOverrides.flatMap(({ service, durationMin, priceCents }) => {
      const serviceId = context.visibleId("service", service);
      return serviceId === undefined ? [] : [{ serviceId, durationMin, priceCents }];
    }),
    status: "ACTIVE",
    ...commonFields(id, doc, context.sortOrderOf(id), context),
  };
}
