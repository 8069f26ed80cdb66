import { Document, isScalar, parseDocument, Scalar, visit } from "yaml";
import { catalogFileSchema } from "../domain/catalog-schema.ts";
import { currencyDigits } from "../domain/money.ts";
import { AppError } from "../domain/errors.ts";
import { safe } from "../domain/safe-text.ts";
import { mapSquare } from "../domain/square-import.ts";
import { squareObjects } from "../domain/square-objects.ts";
import type { ImportReport } from "../domain/square-report.ts";

const businessSchema = catalogFileSchema.shape.business.unwrap();

export type ImportedBusiness = {
  businessSlug: string;
  businessName?: string | undefined;
  timezone: string;
  currency: string;
};

/** A Square catalog's JSON as the text of a catalog file, with what was taken and what was left behind and why. */
export function importSquare(text: string, business: ImportedBusiness): { yaml: string; report: ImportReport } {
  const { businessSlug: slug, businessName: name = slug, timezone, currency } = business;
  refuseWrong({ slug, name, timezone, currency });
  const { objects, hasMore } = squareObjects(parseJson(text));
  const { sections, report } = mapSquare(objects, currency);
  if (hasMore)
    report.left.unshift({ what: "the pages after this one", why: "the answer ends with a cursor: fetch them as well" });
  const doc = new Document({ catalog: 1, business: { slug, name, timezone, currency }, ...sections });
  doc.commentBefore =
    " Imported from a Square catalog. Keys are Square's ids: keep them, and a second import finds its way.";
  writePricesPlain(doc, currencyDigits(currency));
  return { yaml: doc.toString({ lineWidth: 120 }), report };
}

function refuseWrong(business: { slug: string; name: string; timezone: string; currency: string }): void {
  const [issue] = businessSchema.safeParse(business).error?.issues ?? [];
  if (issue !== undefined)
    throw new AppError("invalid_input", `The business's ${String(issue.path[0])} must be ${issue.message}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    const problem = safe((error as SyntaxError).message);
    const place = /line (\d+) column (\d+)/.exec(problem)?.slice(1).join(":") ?? findFault(text);
    throw new AppError("invalid_input", `This is not JSON: ${problem}.`, {
      fix: "Give the JSON that Square's Catalog API answers, as it is.",
      items: place === undefined ? [] : [{ code: "invalid_json", detail: problem, place }],
    });
  }
}

/** The engine says where some mistakes are and of others only what; YAML's parser stumbles at the same places and always tells. */
function findFault(text: string): string | undefined {
  const { line, col } = parseDocument(text).errors[0]?.linePos?.[0] ?? {};
  return line === undefined ? undefined : `${line}:${col}`;
}

/** `35.00` instead of `"35.00"`, as a person would write it. */
function writePricesPlain(doc: Document, digits: number): void {
  visit(doc, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== "price" || !(value instanceof Scalar)) return;
      value.value = Number(value.value);
      value.minFractionDigits = digits;
    },
  });
}
