import { validateCatalog, type ValidateOptions } from "../../domain/catalog/validate.ts";
import type { MergedCatalog } from "../../domain/catalog/change/merge.ts";
import type { CatalogIssue } from "../../domain/catalog/catalog-issue.ts";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";
import {
  type CatalogSource,
  type ParsedSource,
  parseSource,
  type Position,
} from "./catalog-source.ts";

export type { CatalogSource } from "./catalog-source.ts";

/**
 * Returns the whole catalog that results from applying files to the stored one.
 * @throws AppError with all issues, each with its position in a file
 */
export function readCatalog(
  sources: readonly CatalogSource[],
  options: ValidateOptions,
): MergedCatalog {
  if (sources.length === 0) throw new AppError("invalid_input", "No catalog file was given.");
  const files = sources.map((source) => ({ ...parseSource(source), name: source.name }));
  if (files.some((file) => file.broken)) throw catalogError(files, []);

  const { merged, issues } = validateCatalog(
    files.map((file) => file.content),
    options,
  );
  if (merged === null || issues.length > 0 || files.some((file) => file.issues.length > 0))
    throw catalogError(files, issues);
  return merged;
}

type File = ParsedSource & { name: string };

function catalogError(files: readonly File[], issues: readonly CatalogIssue[]): AppError {
  const located = [
    ...files.flatMap((file, index) => file.issues.map((issue) => ({ ...issue, file: index }))),
    ...issues.map(({ code, path, detail, otherPath }) => ({
      code,
      detail:
        otherPath === undefined
          ? detail
          : `${detail} The other is at ${formatPosition(files, locate(files, otherPath))}.`,
      ...locate(files, path),
    })),
  ].sort((a, b) => a.file - b.file || a.line - b.line || a.column - b.column);

  const names = [...new Set(located.map(({ file }) => files[file]?.name ?? ""))];
  const where = names.length === 1 ? safe(names[0] ?? "") : `${names.length} files`;
  const message = `${located.length} ${located.length === 1 ? "error" : "errors"} in ${where}. Nothing was changed.`;
  return new AppError("invalid_input", message, {
    fix: "fix the errors listed and run the same command again",
    issues: located.map((issue) => ({
      code: issue.code,
      detail: safe(issue.detail, 1000),
      place: formatPosition(files, issue),
    })),
  });
}

type FilePosition = Position & { file: number };

function locate(files: readonly File[], [file, ...path]: CatalogIssue["path"]): FilePosition {
  const index = Number(file);
  return { file: index, ...(files[index]?.locate(path) ?? { line: 1, column: 1 }) };
}

const formatPosition = (files: readonly File[], { file, line, column }: FilePosition): string =>
  `${safe(files[file]?.name ?? "")}:${line}:${column}`;
