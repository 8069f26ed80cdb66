import { CsvError } from "csv-parse";
import { parse } from "csv-parse/sync";
import {
  CSV_COLUMNS,
  type CsvCells,
  type CsvColumn,
  type CsvIssue,
  type CsvTable,
  isFormula,
  readCell,
} from "./format.ts";
import { columnOf, normaliseTitle } from "./headings.ts";
import { AppError, countErrors, MAX_ISSUES } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { countOf, quote, safe } from "../../domain/text.ts";

const MAX_ROWS = 100_000;
const MAX_FIELD_BYTES = 65_536;

/**
 * Reads the rows of a CSV table. Rows have the numbers that spreadsheets show: the titles are row
 * 1, blank rows count, and a cell with line breaks stays in one row.
 * @param name the file name for messages
 * @param required columns that the table must have, in addition to a name or key
 * @throws AppError invalid_input for issues of the titles, or a quote that does not end
 */
export function readCsvTable(name: string, text: string, required: readonly CsvColumn[]): CsvTable {
  const fileError = (message: string, fix: string) =>
    new AppError("invalid_input", `${safe(name)} ${message}`, { fix });
  const records = parseRecords(name, text)
    .map((cells, index) => ({ row: index + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const [titleRow, ...dataRows] = records;
  if (titleRow === undefined)
    throw fileError("is empty.", `add the columns ${CSV_COLUMNS.join(",")}`);
  if (dataRows.length > MAX_ROWS) throw fileError(`has more than ${MAX_ROWS} rows.`, "split it");

  const columns = readTitles(name, titleRow, required);
  if (dataRows.length === 0)
    throw fileError("has only the titles of the columns.", "add a row below the titles");
  const issues: CsvIssue[] = [];
  const ignored = new Set<number>();
  const rows = dataRows.map(({ row, cells: record }) => {
    const cells: CsvCells = {};
    for (const [index, raw] of record.entries()) {
      const column = columns[index];
      if (Buffer.byteLength(raw) > MAX_FIELD_BYTES)
        issues.push({ row, detail: `Column ${index + 1} contains more than 64 KiB.` });
      else if (column !== undefined && isFormula(raw))
        issues.push({
          row,
          column,
          detail: `${quote(titleRow.cells[index] ?? column)} contains the formula ${quote(raw)}, not its result. Copy the cell and paste it as a value.`,
        });
      else if (column !== undefined) cells[column] = readCell(raw);
      else if (raw.trim() === "") continue;
      else if (index < titleRow.cells.length) ignored.add(index);
      else
        issues.push({
          row,
          detail: `This row has ${countOf(record.length, "cell")}, but there are ${countOf(titleRow.cells.length, "column")}. Quote texts that contain a separator.`,
        });
    }
    return { row, cells };
  });
  return {
    rows,
    titles: Object.fromEntries(
      columns.flatMap((column, index) =>
        column === undefined ? [] : [[column, (titleRow.cells[index] ?? "").trim()]],
      ),
    ),
    ignored: titleRow.cells.flatMap((title, index) =>
      ignored.has(index) ? [{ position: index + 1, title: title.trim() }] : [],
    ),
    issues,
  };
}

function parseRecords(name: string, text: string): string[][] {
  // Excel writes and reads a first line such as `sep=;`, which names the separator, but does not
  // show it as a row.
  const [separatorLine, separator] = /^"?sep=(.)"?\r?(?:\n|$)/i.exec(text) ?? [];
  const table = text.slice(separatorLine?.length ?? 0);
  try {
    return parse(table, {
      delimiter: separator ?? separatorOf(table),
      relax_column_count: true,
      max_record_size: MAX_FIELD_BYTES * CSV_COLUMNS.length,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const row = Number(error.records ?? 0) + 1;
    throw csvError(name, [{ row, code: "invalid_syntax", detail: explainSyntaxError(error) }]);
  }
}

function explainSyntaxError({ code, message }: CsvError): string {
  if (code === "CSV_QUOTE_NOT_CLOSED") return `A quote is never closed: ${safe(message)}.`;
  if (code === "CSV_MAX_RECORD_SIZE")
    return "This row is too long: a field may contain at most 64 KiB.";
  return `A cell contains a quote: double it ("") and quote the cell (${safe(message)}).`;
}

/** Returns the most frequent separator of the first row: many spreadsheets write semicolons. */
function separatorOf(text: string): string {
  // Spreadsheets write a line of only separators and spaces for an empty row, so such a line cannot
  // be the row of titles.
  const titles = /^[^\r\n]*[^\s,;][^\r\n]*/m.exec(text)?.[0].replaceAll(/"[^"]*"/g, "") ?? "";
  const count = (separator: string) => titles.split(separator).length;
  return [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

/** Returns the column of each title, or undefined for a title that deskbell does not know. */
function readTitles(
  name: string,
  { row, cells: titles }: { row: number; cells: readonly string[] },
  required: readonly CsvColumn[],
): (CsvColumn | undefined)[] {
  const columns = titles.map(columnOf);
  const issues = CSV_COLUMNS.filter(
    (column) => columns.indexOf(column) !== columns.lastIndexOf(column),
  ).map((column) => {
    const repeated = titles.filter((_, index) => columns[index] === column);
    return new Set(repeated.map(normaliseTitle)).size === 1
      ? `The column ${quote(repeated[0] ?? column)} occurs twice.`
      : `The columns ${repeated.map(quote).join(" and ")} mean the same. Keep one of them.`;
  });
  const missing = required.filter((column) => !columns.includes(column));
  if (!columns.includes("key") && !columns.includes("name") && !missing.includes("name"))
    missing.push("name");
  const known = titles.map(normaliseTitle);
  const separators =
    titles.length === 1 ? ", with a comma, semicolon or tab between two of them" : "";
  for (const column of missing)
    issues.push(
      `The column '${column}' is missing.${didYouMean(column, known)} Row ${row} must contain the titles of the columns${separators}.`,
    );
  if (issues.length > 0)
    throw csvError(
      name,
      issues.map((detail) => ({ row, code: "missing_field", detail })),
    );
  return columns;
}

/** @param issues at least one */
export function csvError(name: string, issues: readonly CsvIssue[]): AppError {
  const message = `${countErrors(issues)} in ${safe(name)}. Nothing was changed.`;
  return new AppError("invalid_input", message, {
    fix: "fix the errors listed and run the same command again",
    issues: issues
      .toSorted((a, b) => a.row - b.row)
      .slice(0, MAX_ISSUES)
      .map(({ row, code = "invalid_value", detail }) => ({
        code,
        detail: safe(detail, 1000),
        place: `${safe(name)}:${row}`,
      })),
  });
}
