import type { Catalog, ServiceDoc, StaffDoc } from "../../domain/catalog/catalog.ts";
import type { AuthoredStaff } from "../../domain/catalog/file/staff.ts";
import { withShownTexts } from "../../domain/catalog/shown-texts.ts";
import { AppError } from "../../domain/errors.ts";
import { quote, shellQuote } from "../../domain/text.ts";
import type { Runtime } from "../runtime.ts";
import {
  editCatalog,
  type EditOptions,
  withNewObject,
  withObjects,
} from "./changes/edit-catalog.ts";
import { getObject } from "./objects.ts";
import type { ChangeResult } from "./changes/plan-change.ts";

/** Keys or IDs of services that the staff member begins or ceases to perform. */
export type ServiceLinks = { add: readonly string[]; remove: readonly string[] };

export const createStaffMember = (
  rt: Runtime,
  slug: string,
  item: AuthoredStaff,
  services: readonly string[],
): ChangeResult =>
  editCatalog(rt, slug, (before) => {
    const { catalog, doc } = withNewObject(before, "staff", item);
    const links = { add: services, remove: [] };
    return { catalog: withLinks(catalog, doc.key, links), target: { kind: "staff", doc } };
  });

/** @throws AppError state_refuses if a service would have nobody left */
export const updateStaffMember = (
  rt: Runtime,
  slug: string,
  keyOrId: string,
  edit: (doc: StaffDoc) => StaffDoc,
  links: ServiceLinks,
): ChangeResult =>
  editCatalog(rt, slug, (before) => {
    const doc = getObject(before, "staff", keyOrId);
    const catalog = withObjects(before, "staff", (people) =>
      people.map((person) =>
        person === doc ? withShownTexts(doc, edit(doc), before.business.locale) : person,
      ),
    );
    return { catalog: withLinks(catalog, doc.key, links), target: { kind: "staff", doc } };
  });

/**
 * Deletes a staff member, also from the services that name the person.
 * @throws AppError state_refuses if the person has future bookings, or a service would have nobody
 *   left
 */
export const deleteStaffMember = (
  rt: Runtime,
  slug: string,
  keyOrId: string,
  options: EditOptions,
): ChangeResult =>
  editCatalog(
    rt,
    slug,
    (before) => {
      const doc = getObject(before, "staff", keyOrId);
      const remove = before.objects.service.filter((one) => refersTo(one, doc.key));
      const links = { add: [], remove: remove.map(({ key }) => key) };
      const catalog = withObjects(withLinks(before, doc.key, links), "staff", (people) =>
        people.filter((person) => person !== doc),
      );
      return { catalog, target: { kind: "staff", doc } };
    },
    options,
  );

const refersTo = ({ staff, variants }: ServiceDoc, key: string): boolean =>
  staff.includes(key) || variants.some((variant) => variant.staff?.includes(key));

function withLinks(catalog: Catalog, key: string, { add, remove }: ServiceLinks): Catalog {
  const resolve = (names: readonly string[]) =>
    new Set(names.map((name) => getObject(catalog, "service", name)));
  const [added, removed] = [resolve(add), resolve(remove)];
  return withObjects(catalog, "service", (services) =>
    services.map((service) => {
      if (removed.has(service)) return withoutLink(service, key);
      if (!added.has(service) || service.staff.includes(key)) return service;
      return { ...service, staff: [...service.staff, key] };
    }),
  );
}

function withoutLink(service: ServiceDoc, key: string): ServiceDoc {
  if (!refersTo(service, key)) return service;
  const without = (staff: string[]) => staff.filter((one) => one !== key);
  const unlinked = {
    ...service,
    staff: without(service.staff),
    variants: service.variants.map((variant) =>
      variant.staff ? { ...variant, staff: without(variant.staff) } : variant,
    ),
  };
  assertPerformed(service, unlinked);
  return unlinked;
}

/**
 * Asserts that a service and its variants do not lose their last staff member. A service without
 * staff needs nobody, like a sauna, so guests could still book it.
 */
function assertPerformed(before: ServiceDoc, after: ServiceDoc): void {
  const { key, status } = after;
  if (status === "ARCHIVED") return;
  const updateCommand = `deskbell services update ${shellQuote(key)}`;
  if (before.staff.length > 0 && after.staff.length === 0)
    throw new AppError("state_refuses", `Nobody else performs the service ${quote(key)}.`, {
      fix: `link somebody else with deskbell staff update KEY --add-service ${shellQuote(key)}, or retire it with ${updateCommand} --status ARCHIVED`,
    });
  const variant = after.variants.find(
    (one, i) =>
      one.status !== "ARCHIVED" && one.staff?.length === 0 && before.variants[i]?.staff?.length,
  );
  if (variant === undefined) return;
  throw new AppError(
    "state_refuses",
    `Nobody else performs the variant ${quote(variant.key)} of ${quote(key)}.`,
    {
      fix: `retire it with ${updateCommand} --variant ${shellQuote(variant.key)} --status ARCHIVED`,
    },
  );
}
