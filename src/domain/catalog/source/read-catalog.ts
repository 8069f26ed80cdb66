import { describesBusiness, validateCatalog, type ValidateOptions } from "../validate.ts";
import type { MergedCatalog } from "../change/merge.ts";
import type { CatalogIssue } from "../catalog-issue.ts";
import { AppError, countErrors, MAX_ISSUES, type ValidationIssue } from "../../errors.ts";
import { safe } from "../../text.ts";
import {
  type CatalogFile,
  type CatalogSource,
  parseSource,
  type Located,
  type Position,
} from "./catalog-source.ts";

export const parseSources = (sources: readonly CatalogSource[]): CatalogFile[] =>
  sources.map((source) => ({ ...parseSource(source), name: source.name }));

/**
 * Returns the whole catalog that results from applying files to the stored one.
 * @throws AppError with up to MAX_ISSUES issues, each with its position in a file
 */
export function readCatalog(
  sources: readonly CatalogSource[],
  options: ValidateOptions,
): MergedCatalog {
  const [merged] = readCatalogs([parseSources(sources)], options);
  return merged as MergedCatalog;
}

/**
 * Returns the catalog of each business that results from applying its files to the stored one.
 * @param groups the files of each business
 * @throws AppError with up to MAX_ISSUES issues of all files
 */
export function readCatalogs(
  groups: readonly CatalogFile[][],
  options: ValidateOptions,
): MergedCatalog[] {
  const issues: LocatedIssue[] = [];
  const catalogs: MergedCatalog[] = [];
  for (const files of groups) {
    // A broken file may describe the business.
    const mayHaveBusiness = files.some(
      ({ broken, content }) => broken || describesBusiness(content),
    );
    const result =
      groups.length > 1 && !mayHaveBusiness
        ? { merged: null, issues: locateIssues(files, [NO_BUSINESS]) }
        : readGroup(files, options);
    issues.push(...result.issues);
    if (issues.length > MAX_ISSUES) break;
    if (result.merged !== null) catalogs.push(result.merged);
  }
  if (issues.length > 0) throw catalogError(issues);
  return catalogs;
}

const NO_BUSINESS: CatalogIssue = {
  code: "missing_field",
  path: [0],
  detail:
    "'business' is missing, and the files describe several: move this file to a folder with the files of its business only.",
};

/** Returns a new object each time, because the validation changes the contents of files. */
const emptyFile = (): unknown => ({ catalog: 1 });

/** Returns the issues of the files of a business; `merged` is valid only if `issues` is empty. */
function readGroup(
  files: readonly CatalogFile[],
  options: ValidateOptions,
): { merged: MergedCatalog | null; issues: LocatedIssue[] } {
  if (files.length === 0) throw new AppError("invalid_input", "No catalog file was given.");
  const isIncomplete = files.some(({ broken }) => broken);
  // An empty file takes the place of one that cannot be parsed, so that the issues of the other
  // files are found, too.
  const { merged, issues } = validateCatalog(
    files.map(({ broken, content }) => (broken ? emptyFile() : content)),
    { ...options, isIncomplete },
  );
  return { merged, issues: locateIssues(files, issues) };
}

type LocatedIssue = Required<Pick<ValidationIssue, "code" | "detail" | "place">> & { file: string };

/** Returns the issues of parsing the files and the given issues of validation, by position. */
function locateIssues(
  files: readonly CatalogFile[],
  issues: readonly CatalogIssue[],
): LocatedIssue[] {
  return [
    ...files.flatMap((file, index) => file.issues.map((issue) => ({ ...issue, file: index }))),
    ...issues.map(({ code, path, detail, describe, otherPath }) => {
      const { source, ...position } = locate(files, path);
      const text = describe === undefined || source === undefined ? detail : describe(source);
      return {
        code,
        detail:
          otherPath === undefined
            ? text
            : `${text} The other is at ${formatPosition(files, locate(files, otherPath))}.`,
        ...position,
      };
    }),
  ]
    .sort((a, b) => a.file - b.file || a.line - b.line || a.column - b.column)
    .map((issue) => ({
      code: issue.code,
      detail: safe(issue.detail, 1000),
      place: formatPosition(files, issue),
      file: files[issue.file]?.name ?? "",
    }));
}

function catalogError(issues: readonly LocatedIssue[]): AppError {
  const names = [...new Set(issues.map(({ file }) => file))];
  const where = names.length === 1 ? safe(names[0] ?? "") : `${names.length} files`;
  const message = `${countErrors(issues)} in ${where}. Nothing was changed.`;
  return new AppError("invalid_input", message, {
    fix: "fix the errors listed and run the same command again",
    issues: issues.slice(0, MAX_ISSUES).map(({ code, detail, place }) => ({ code, detail, place })),
  });
}

type FilePosition = Position & { file: number };

type Place = FilePosition & Pick<Located, "source">;

function locate(files: readonly CatalogFile[], [file, ...path]: CatalogIssue["path"]): Place {
  const index = Number(file);
  return { file: index, ...(files[index]?.locate(path) ?? { line: 1, column: 1 }) };
}

const formatPosition = (
  files: readonly CatalogFile[],
  { file, line, column }: FilePosition,
): string => `${safe(files[file]?.name ?? "")}:${line}:${column}`;
