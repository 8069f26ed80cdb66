import { parseSource } from "../../domain/catalog/source/catalog-source.ts";
import { writeYaml } from "../../domain/catalog/yaml.ts";
import {
  parseImportedBusiness,
  type ImportedBusiness,
} from "../../app/catalog/imported-business.ts";
import { AppError } from "../../domain/errors.ts";
import type { ImportReport } from "../../domain/catalog/import-report.ts";
import { safe } from "../../domain/text.ts";
import { mapSquareCatalog } from "./import.ts";
import { NEEDED_EXPORT, parseSquareObjects } from "./objects.ts";

/** Converts JSON of Square's Catalog API to the text of a catalog file. */
export function importSquare(
  text: string,
  business: ImportedBusiness,
): { yaml: string; report: ImportReport } {
  const described = parseImportedBusiness(business);
  const { objects, hasMore } = parseSquareObjects(parseJson(text));
  const { sections, report } = mapSquareCatalog(objects, business.currency);
  if (hasMore)
    report.skipped.unshift({
      part: "the following pages",
      reason: "the response ends with a cursor: fetch the next pages as well",
    });
  const heading =
    "Imported from a Square catalog. The keys are Square's IDs: keep them, so that a second import updates the same objects.";
  return { yaml: writeYaml({ catalog: 1, business: described, ...sections }, heading), report };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    const problem = safe((error as SyntaxError).message);
    const place = /line (\d+) column (\d+)/.exec(problem)?.slice(1).join(":") ?? locateError(text);
    throw new AppError("invalid_input", `Invalid JSON: ${problem}.`, {
      fix: NEEDED_EXPORT,
      issues: place === undefined ? [] : [{ code: "invalid_json", detail: problem, place }],
    });
  }
}

/**
 * Returns the position of a syntax error, as the YAML parser finds it: `JSON.parse` may report no
 * position.
 */
function locateError(text: string): string | undefined {
  const issue = parseSource({ name: "", text }).issues.find(
    ({ code }) => code === "invalid_syntax",
  );
  return issue && `${issue.line}:${issue.column}`;
}
