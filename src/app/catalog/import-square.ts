import { parseDocument } from "yaml";
import { writeYaml } from "../../domain/catalog/yaml.ts";
import { parseImportedBusiness, type ImportedBusiness } from "./imported-business.ts";
import { AppError } from "../../domain/errors.ts";
import type { ImportReport } from "../../domain/catalog/import-report.ts";
import { safe } from "../../domain/safe-text.ts";
import { mapSquareCatalog } from "../../domain/square/import.ts";
import { parseSquareObjects } from "../../domain/square/objects.ts";

/** A Square catalog's JSON as the text of a catalog file, with what was taken and what was left behind and why. */
export function importSquare(
  text: string,
  business: ImportedBusiness,
): { yaml: string; report: ImportReport } {
  const described = parseImportedBusiness(business);
  const { objects, hasMore } = parseSquareObjects(parseJson(text));
  const { sections, report } = mapSquareCatalog(objects, business.currency);
  if (hasMore)
    report.left.unshift({
      what: "the pages after this one",
      why: "the answer ends with a cursor: fetch them as well",
    });
  const heading =
    "Imported from a Square catalog. Keys are Square's ids: keep them, and a second import finds its way.";
  return { yaml: writeYaml({ catalog: 1, business: described, ...sections }, heading), report };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    const problem = safe((error as SyntaxError).message);
    const place = /line (\d+) column (\d+)/.exec(problem)?.slice(1).join(":") ?? findFault(text);
    throw new AppError("invalid_input", `This is not JSON: ${problem}.`, {
      fix: "Give the JSON that Square's Catalog API answers, as it is.",
      issues: place === undefined ? [] : [{ code: "invalid_json", detail: problem, place }],
    });
  }
}

/** The engine says where some mistakes are and of others only what; YAML's parser stumbles at the same places and always tells. */
function findFault(text: string): string | undefined {
  const { line, col } = parseDocument(text).errors[0]?.linePos?.[0] ?? {};
  return line === undefined ? undefined : `${line}:${col}`;
}
