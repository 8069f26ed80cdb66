import { validateCatalog, type ValidateOptions } from "../../domain/catalog/validate.ts";
import type { MergedCatalog } from "../../domain/catalog/change/merge.ts";
import type { CatalogIssue } from "../../domain/catalog/catalog-issue.ts";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/safe-text.ts";
import {
  type CatalogSource,
  type ParsedSource,
  parseSource,
  type Position,
} from "./catalog-source.ts";

export type { CatalogSource } from "./catalog-source.ts";

/**
 * The whole catalog as it is after these files: they are joined, checked and laid over what the box has.
 * @throws AppError with every mistake in them, each with its place
 */
export function readCatalog(
  sources: readonly CatalogSource[],
  options: ValidateOptions,
): MergedCatalog {
  if (sources.length === 0) throw new AppError("invalid_input", "No catalog file was given.");
  const files = sources.map((source) => ({ ...parseSource(source), name: source.name }));
  if (files.some((file) => file.broken)) throw refusal(files, []);

  const { merged, issues } = validateCatalog(
    files.map((file) => file.content),
    options,
  );
  if (merged === null || issues.length > 0 || files.some((file) => file.mistakes.length > 0))
    throw refusal(files, issues);
  return merged;
}

type File = ParsedSource & { name: string };

function refusal(files: readonly File[], mistakes: readonly CatalogIssue[]): AppError {
  const placed = [
    ...files.flatMap((file, index) =>
      file.mistakes.map((mistake) => ({ ...mistake, file: index })),
    ),
    ...mistakes.map(({ code, path, detail, otherPath }) => ({
      code,
      detail:
        otherPath === undefined
          ? detail
          : `${detail} The other is at ${place(files, locate(files, otherPath))}.`,
      ...locate(files, path),
    })),
  ].sort((a, b) => a.file - b.file || a.line - b.line || a.column - b.column);

  const names = [...new Set(placed.map(({ file }) => files[file]?.name ?? ""))];
  const where = names.length === 1 ? safe(names[0] ?? "") : `${names.length} files`;
  const message = `${placed.length} ${placed.length === 1 ? "mistake" : "mistakes"} in ${where}. Nothing was changed.`;
  return new AppError("invalid_input", message, {
    fix: "mend what is listed and run the same command again",
    issues: placed.map((mistake) => ({
      code: mistake.code,
      detail: safe(mistake.detail, 1000),
      place: place(files, mistake),
    })),
  });
}

type FilePosition = Position & { file: number };

function locate(files: readonly File[], [file, ...path]: CatalogIssue["path"]): FilePosition {
  const index = Number(file);
  return { file: index, ...(files[index]?.locate(path) ?? { line: 1, column: 1 }) };
}

const place = (files: readonly File[], { file, line, column }: FilePosition): string =>
  `${safe(files[file]?.name ?? "")}:${line}:${column}`;
