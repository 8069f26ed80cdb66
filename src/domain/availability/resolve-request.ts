import type { Catalog, DocOf, Kind, ServiceDoc, VariantDoc } from "../catalog/catalog.ts";
import { objectId } from "../catalog/object-id.ts";
import { KIND_NAMES, quote } from "../catalog/validation-issue.ts";
import { isVisible } from "../public/public-context.ts";
import { didYouMean } from "../nearest.ts";
import { variantId } from "../public/service.ts";
import type {
  ResolvedAppointmentRequest,
  RequestIssue,
  AddIssue,
  ServiceRequest,
  ResolvedTableRequest,
  NamedAppointmentRequest,
  NamedRequest,
} from "./request.ts";

/** The house names everything by id or by key; the public what it sees, by id. */
export type Audience = "HOUSE" | "PUBLIC";

/** A wish by the author's keys. What is wrong with the names goes to `report`; the question is then but the rest of it. */
export function resolveRequest(
  catalog: Catalog,
  audience: Audience,
  wish: NamedRequest,
  report: AddIssue,
): ResolvedAppointmentRequest | ResolvedTableRequest {
  const names = namesIn(catalog, audience, report);
  if ("partySize" in wish) {
    const area = wish.areaId === null ? null : names.require("area", wish.areaId, "areaId");
    return { partySize: wish.partySize, area: area?.key ?? null };
  }
  const chain = chainOf(names, wish, report);
  addAddons(names, chain, wish.addonIds, report);
  addStaff(names, chain, wish.staffIds, report);
  return {
    services: chain.map(({ service, ...request }) => ({ ...request, service: service.key })),
    guests: wish.guests,
  };
}

type Link = Omit<ServiceRequest, "service"> & { service: ServiceDoc };

const linkTo = (service: ServiceDoc, variant: VariantDoc | null = null): Link => ({
  service,
  variant: variant?.key ?? null,
  addons: [],
  staff: null,
});

/** The services in their order, each with its variant. */
function chainOf(
  names: Names,
  { serviceIds, variantIds }: NamedAppointmentRequest,
  report: AddIssue,
): Link[] {
  const chain = serviceIds.flatMap((name) => {
    const service = names.require("service", name, "serviceIds");
    return service === undefined ? [] : [linkTo(service)];
  });
  for (const name of variantIds) {
    const asked = chain.map((link) => ({ link, variant: names.variantOf(link.service, name) }));
    const fitting = asked.find(
      ({ link, variant }) => variant !== undefined && link.variant === null,
    );
    const known = fitting === undefined ? names.variant(name) : undefined;
    if (fitting?.variant !== undefined) fitting.link.variant = fitting.variant.key;
    else if (known === undefined)
      report("resource_not_found", `There is no variant ${quote(name)}.`, "variantIds");
    else if (serviceIds.length === 0) chain.push(linkTo(known.service, known.variant));
    else {
      const again = chain.some((link) => link.service === known.service) ? " once more" : "";
      const mismatch = `'${known.variant.name}' is a variant of '${known.service.name}', which is not among the services${again}.`;
      report("variant_service_mismatch", mismatch, "variantIds");
    }
  }
  return chain;
}

function addAddons(names: Names, chain: Link[], texts: readonly string[], report: AddIssue): void {
  for (const text of texts) {
    const { service, name: counted } = names.bound(text);
    const [, name = counted, times = "1"] = /^(.+)\*(\d{1,6})$/.exec(counted) ?? [];
    const addon = names.require("addon", name, "addonIds");
    if (addon === undefined) continue;
    const offered = chain.filter(
      (link) =>
        (service ?? link.service) === link.service &&
        link.service.addons.some((l) => l.addon === addon.key),
    );
    const first =
      offered.find(({ addons }) => addons.every((known) => known.addon !== addon.key)) ??
      offered[0];
    if (first === undefined)
      report(
        "addon_not_linked",
        `${noneOf(chain, service)} offered with the add-on '${addon.name}'.`,
        "addonIds",
      );
    else if (new Set(offered.map((link) => link.service)).size > 1)
      report(
        "validation_failed",
        `Several of the services are offered with '${addon.name}': say for which, as in service:add-on.`,
        "addonIds",
      );
    else first.addons.push({ addon: addon.key, quantity: Number(times) });
  }
}

function noneOf([first, ...others]: Link[], asked: ServiceDoc | undefined): string {
  if (asked !== undefined) return `'${asked.name}', if it is asked for at all, is not`;
  return first === undefined || others.length > 0
    ? "None of the services is"
    : `'${first.service.name}' is not`;
}

/** Someone for the whole visit, and for single services somebody else: each time that one is asked for, or one for each time. */
function addStaff(names: Names, chain: Link[], texts: readonly string[], report: AddIssue): void {
  const asked = texts.flatMap((text) => {
    const { service, name } = names.bound(text);
    const person = name === "any" ? null : names.require("staff", name, "staffIds");
    return person === undefined ? [] : [{ service, key: person?.key ?? null }];
  });
  const [ofVisit, ofServices] = [
    asked.filter(({ service }) => !service),
    asked.filter(({ service }) => service),
  ];
  const ambiguous = () =>
    report(
      "validation_failed",
      "Of several people say who does which, as in service:person.",
      "staffIds",
    );

  const [forAll, ...others] = new Set(ofVisit.flatMap(({ key }) => key ?? []));
  if (others.length > 0) ambiguous();
  for (const link of chain) link.staff = forAll ?? null;
  for (const [service, people] of Map.groupBy(ofServices, (one) => one.service)) {
    const links = chain.filter((link) => link.service === service);
    if (links.length === 0)
      report("staff_cannot_perform", `'${service?.name}' is not among the services.`, "staffIds");
    else if (people.length > links.length) ambiguous();
    for (const [i, link] of links.entries())
      link.staff = people[people.length === 1 ? 0 : i]?.key ?? null;
  }
}

type Names = ReturnType<typeof namesIn>;

function namesIn({ business: { slug }, objects }: Catalog, audience: Audience, report: AddIssue) {
  const isHouse = audience === "HOUSE";
  const seen = <K extends Kind>(kind: K): DocOf[K][] =>
    isHouse ? objects[kind] : (objects[kind] as DocOf[K][]).filter((doc) => isVisible(kind, doc));
  const find = <K extends Kind>(kind: K, name: string): DocOf[K] | undefined =>
    seen(kind).find((doc) => (isHouse && doc.key === name) || objectId(kind, slug, doc) === name);
  const variantOf = (service: ServiceDoc, name: string): VariantDoc | undefined =>
    service.variants.find(
      (variant) =>
        variant.status === "ACTIVE" &&
        ((isHouse && variant.key === name) || variantId(slug, service, variant) === name),
    );

  return {
    variantOf,
    require<K extends Kind>(
      kind: K,
      name: string,
      parameter: RequestIssue["parameter"],
    ): DocOf[K] | undefined {
      const doc = find(kind, name);
      if (doc !== undefined) return doc;
      const meant = isHouse
        ? didYouMean(
            name,
            objects[kind].map(({ key }) => key),
          )
        : "";
      return void report(
        "resource_not_found",
        `There is no ${KIND_NAMES[kind]} ${quote(name)}.${meant}`,
        parameter,
      );
    },
    variant(name: string): { service: ServiceDoc; variant: VariantDoc } | undefined {
      for (const service of seen("service")) {
        const variant = variantOf(service, name);
        if (variant !== undefined) return { service, variant };
      }
      return undefined;
    },
    /** `svc_1:stf_2`; a key may itself have a colon in it. */
    bound(text: string): { service?: ServiceDoc; name: string } {
      const colon = text.indexOf(":");
      const service = colon === -1 ? undefined : find("service", text.slice(0, colon));
      return service === undefined ? { name: text } : { service, name: text.slice(colon + 1) };
    },
  };
}
