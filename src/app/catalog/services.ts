import type { AuthoredService } from "../../domain/catalog/file/services.ts";
import type { Runtime } from "../runtime.ts";
import { editCatalog, withNewObject } from "./edit-catalog.ts";
import type { ChangeResult } from "./plan-change.ts";

/**
 * @param staff keys, or `everyone` for every bookable staff member
 * @returns also the keys of the staff who perform the service
 */
export function createService(
  rt: Runtime,
  slug: string,
  item: AuthoredService,
  staff: string[] | "everyone",
): { result: ChangeResult; staff: string[] } {
  let performers: string[] = [];
  const result = editCatalog(rt, slug, (before) => {
    const bookable = before.objects.staff.filter((one) => one.bookable && one.status === "ACTIVE");
    performers = staff === "everyone" ? bookable.map(({ key }) => key) : staff;
    const { catalog, doc } = withNewObject(before, "service", { ...item, staff: performers });
    return { catalog, target: { kind: "service", doc } };
  });
  return { result, staff: performers };
}
