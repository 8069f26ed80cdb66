import { quote } from "../../domain/text.ts";
import type { AuthoredBusiness } from "../../domain/catalog/file/business.ts";
import { catalogFileSchema } from "../../domain/catalog/file/schema.ts";
import { AppError } from "../../domain/errors.ts";

/** Facts about a business that deskbell needs, and that exports of other systems do not contain. */
export type ImportedBusiness = {
  businessSlug: string;
  businessName?: string | undefined;
  timezone: string;
  currency: string;
};

const businessSchema = catalogFileSchema.shape.business.unwrap();

export function parseImportedBusiness({
  businessSlug: slug,
  businessName: name = slug,
  timezone,
  currency,
}: ImportedBusiness): AuthoredBusiness {
  const business = { slug, name, timezone, currency };
  const [issue] = businessSchema.safeParse(business).error?.issues ?? [];
  if (issue === undefined) return business;
  const field = issue.path[0] as keyof typeof business;
  throw new AppError(
    "validation_failed",
    `The business's ${field} must be ${issue.message}, not ${quote(business[field])}.`,
  );
}
