import type { StaffDoc } from "../catalog/catalog.ts";
import { common, idOf, type Lens, type PublicCommon } from "./lens.ts";

/** Never mail, phone, schedule or the reason of an absence. */
export type PublicStaff = {
  id: string;
  name: string;
  title: string | null;
  bio: string | null;
  languages: string[];
  bookable: boolean;
  serviceIds: string[];
  serviceOverrides: { serviceId: string; durationMin: number | null; priceCents: number | null }[];
  status: "ACTIVE";
} & PublicCommon;

export function representStaff(doc: StaffDoc, sortOrder: number, lens: Lens): PublicStaff {
  const id = idOf(lens, "staff", doc);
  return {
    id,
    name: doc.name,
    title: doc.title,
    bio: doc.bio,
    languages: doc.languages,
    bookable: doc.bookable,
    serviceIds: lens.performedBy(doc.key),
    serviceOverrides: doc.serviceOverrides.flatMap(({ service, durationMin, priceCents }) => {
      const serviceId = lens.visibleId("service", service);
      return serviceId === undefined ? [] : [{ serviceId, durationMin, priceCents }];
    }),
    status: "ACTIVE",
    ...common(id, doc, sortOrder, lens),
  };
}
