import {
  type Catalog,
  type DocOf,
  type Kind,
  KIND_NAMES,
  type ServiceDoc,
  type VariantDoc,
} from "../catalog/catalog.ts";
import { findById, findByKey } from "../catalog/doc-index.ts";
import { didYouMean } from "../nearest.ts";
import { isVisible } from "../public/public-context.ts";
import { variantId } from "../public/service.ts";
import { quote } from "../text.ts";
import type { AddIssue, RequestIssue } from "./request.ts";

/**
 * INTERNAL callers name any object, by its ID or key. PUBLIC callers name only visible objects, by
 * their IDs.
 */
export type Audience = "INTERNAL" | "PUBLIC";

export type Lookup = ReturnType<typeof createLookup>;

/** Returns functions that find the objects that a request names. */
export function createLookup(
  { business: { slug }, objects }: Catalog,
  audience: Audience,
  addIssue: AddIssue,
) {
  const isInternal = audience === "INTERNAL";
  const isListed = (kind: Kind, doc: DocOf[Kind]): boolean => isInternal || isVisible(kind, doc);
  const find = <K extends Kind>(kind: K, name: string): DocOf[K] | undefined => {
    const docs: DocOf[K][] = objects[kind];
    const byKey = isInternal ? findByKey<K>(docs, name) : undefined;
    const doc = byKey ?? findById<K>(kind, slug, docs, name);
    return doc !== undefined && isListed(kind, doc) ? doc : undefined;
  };
  const variantOf = (service: ServiceDoc, name: string): VariantDoc | undefined =>
    service.variants.find(
      (variant) =>
        variant.status === "ACTIVE" &&
        ((isInternal && variant.key === name) || variantId(slug, service, variant) === name),
    );

  return {
    variantOf,
    findOrAddIssue<K extends Kind>(
      kind: K,
      name: string,
      parameter: RequestIssue["parameter"],
    ): DocOf[K] | undefined {
      const doc = find(kind, name);
      if (doc !== undefined) return doc;
      const suggestion = isInternal
        ? didYouMean(
            name,
            objects[kind].map(({ key }) => key),
          )
        : "";
      return void addIssue(
        "resource_not_found",
        `There is no ${KIND_NAMES[kind]} ${quote(name)}.${suggestion}`,
        parameter,
      );
    },
    findVariant(name: string): { service: ServiceDoc; variant: VariantDoc } | undefined {
      for (const service of objects.service) {
        const variant = isListed("service", service) ? variantOf(service, name) : undefined;
        if (variant !== undefined) return { service, variant };
      }
      return undefined;
    },
    /**
     * Splits `svc_1:stf_2` into a service and a name. A colon that does not follow a service
     * belongs to the name.
     */
    splitService(text: string): { service?: ServiceDoc; name: string } {
      const colon = text.indexOf(":");
      const service = colon === -1 ? undefined : find("service", text.slice(0, colon));
      return service === undefined ? { name: text } : { service, name: text.slice(colon + 1) };
    },
  };
}
