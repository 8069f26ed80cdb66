import { CsvError } from "csv-parse";
import { parse } from "csv-parse/sync";
import {
  CSV_COLUMNS,
  type CsvCells,
  type CsvColumn,
  readCell,
} from "../../domain/catalog/csv/format.ts";
import { type CsvIssue, type CsvRow, readCsvSections } from "../../domain/catalog/csv/import.ts";
import { quote, safe, countOf } from "../../domain/text.ts";
import { writeYaml } from "../../domain/catalog/yaml.ts";
import { AppError } from "../../domain/errors.ts";
import { type ImportReport, summarizeSections } from "../../domain/catalog/import-report.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { parseImportedBusiness, type ImportedBusiness } from "./imported-business.ts";

const MAX_BYTES = 50_000_000;
const MAX_ROWS = 100_000;
const MAX_FIELD_BYTES = 65_536;

/** Converts a CSV table of services and dishes to the text of a catalog file. */
export function importCsv(
  source: { name: string; text: string },
  business: ImportedBusiness,
): { yaml: string; report: ImportReport } {
  const described = parseImportedBusiness(business);
  const issues: CsvIssue[] = [];
  const { titles, rows } = readTable(source, issues);
  const skipped = titles.unknown.map((title) => ({
    part: `the column ${quote(title)}`,
    reason: "deskbell has no such column",
  }));
  const { sections, namedCategories, issues: mapped } = readCsvSections(rows, described);
  assertNoIssues(source.name, [...issues, ...mapped]);
  const named =
    namedCategories === 0
      ? []
      : [`${countOf(namedCategories, "category")} created from the column 'category'`];
  const heading =
    "Imported from a CSV file. IDs are derived from the keys: keep the keys, so that a second import updates the same objects.";
  return {
    yaml: writeYaml({ catalog: 1, business: described, ...sections }, heading),
    report: { imported: [...summarizeSections(sections), ...named], skipped },
  };
}

type Titles = { columns: (CsvColumn | undefined)[]; unknown: string[] };

function readTable(
  source: { name: string; text: string },
  issues: CsvIssue[],
): { titles: Titles; rows: CsvRow[] } {
  const { name, text } = source;
  const fileError = (message: string, fix: string) =>
    new AppError("invalid_input", `${safe(name)} ${message}`, { fix });
  if (Buffer.byteLength(text) > MAX_BYTES) throw fileError("is larger than 50 MB.", "split it");
  if (text.includes("\ufffd"))
    throw fileError("is not UTF-8 text.", "save it from the spreadsheet as 'CSV UTF-8'");

  const [head, ...records] = parseRecords(name, text);
  if (head === undefined) throw fileError("is empty.", `add the columns ${CSV_COLUMNS.join(",")}`);
  if (records.length > MAX_ROWS) throw fileError(`has more than ${MAX_ROWS} rows.`, "split it");

  const titles = readTitles(name, head);
  const rows = records.map(({ line, cells }): CsvRow => {
    const row: CsvCells = {};
    for (const [index, raw] of cells.entries()) {
      const column = titles.columns[index];
      if (Buffer.byteLength(raw) > MAX_FIELD_BYTES)
        issues.push({
          line,
          code: "invalid_value",
          detail: `Column ${index + 1} contains more than 64 KiB.`,
        });
      else if (column !== undefined) row[column] = readCell(raw);
      else if (index >= titles.columns.length && raw.trim() !== "")
        issues.push({
          line,
          code: "invalid_value",
          detail: `This row has ${cells.length} cells, but there are ${titles.columns.length} columns. Quote texts that contain a separator.`,
        });
    }
    return { line, cells: row };
  });
  return { titles, rows };
}

type CsvRecord = { line: number; cells: string[] };

function parseRecords(name: string, text: string): CsvRecord[] {
  try {
    const parsed = parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_FIELD_BYTES * CSV_COLUMNS.length,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    return parsed.map(({ record, info }) => ({
      line: info.lines - countLineBreaks(record),
      cells: record,
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === "number" ? error.lines : 1;
    assertNoIssues(name, [{ line, code: "invalid_syntax", detail: explain(error) }]);
    throw error;
  }
}

function explain({ code, message }: CsvError): string {
  if (code === "CSV_QUOTE_NOT_CLOSED") return `A quote is never closed: ${safe(message)}.`;
  if (code === "CSV_MAX_RECORD_SIZE")
    return "This row is too long: a field may contain at most 64 KiB.";
  return `A cell contains a quote: double it ("") and quote the cell (${safe(message)}).`;
}

const countLineBreaks = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);

/** Detects the separator from the header; many spreadsheets write semicolons. */
function separatorOf(text: string): string {
  const titles = /^[^\r\n]*/.exec(text)?.[0] ?? "";
  const count = (separator: string) => titles.split(separator).length;
  return [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

function readTitles(file: string, { line, cells }: CsvRecord): Titles {
  const wanted: readonly string[] = CSV_COLUMNS;
  const names = cells.map((title) =>
    title
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_"),
  );
  const issues = ["type", "name"]
    .filter((needed) => !names.includes(needed))
    .map((needed) => `The column '${needed}' is missing.${didYouMean(needed, names)}`);
  const repeated = names.filter(
    (name, index) => wanted.includes(name) && names.indexOf(name) !== index,
  );
  issues.push(...repeated.map((name) => `The column '${name}' occurs twice.`));
  assertNoIssues(
    file,
    issues.map((detail) => ({ line, code: "missing_field", detail })),
  );
  return {
    columns: names.map((name) => CSV_COLUMNS.find((column) => column === name)),
    unknown: cells.filter(
      (title, index) => title.trim() !== "" && !wanted.includes(names[index] ?? ""),
    ),
  };
}

function assertNoIssues(name: string, issues: readonly CsvIssue[]): void {
  if (issues.length === 0) return;
  const message = `${issues.length} ${issues.length === 1 ? "error" : "errors"} in ${safe(name)}. Nothing was written.`;
  throw new AppError("invalid_input", message, {
    fix: "fix the errors listed and run the same command again",
    issues: issues
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, code, detail }) => ({
        code,
        detail: safe(detail, 1000),
        place: `${safe(name)}:${line}`,
      })),
  });
}
