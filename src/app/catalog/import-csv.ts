import { CsvError } from "csv-parse";
import { parse } from "csv-parse/sync";
import {
  CSV_COLUMNS,
  type CsvCells,
  type CsvColumn,
  readCell,
} from "../../domain/catalog/csv/format.ts";
import { type CsvIssue, type CsvRow, readCsvSections } from "../../domain/catalog/csv/import.ts";
import { quote, safe } from "../../domain/safe-text.ts";
import { writeYaml } from "../../domain/catalog/yaml.ts";
import { AppError } from "../../domain/errors.ts";
import { type ImportReport, summarizeSections } from "../../domain/catalog/import-report.ts";
import { countOf } from "../../domain/count-of.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { parseImportedBusiness, type ImportedBusiness } from "./imported-business.ts";

const MAX_BYTES = 50_000_000;
const MAX_ROWS = 100_000;
const MAX_FIELD_BYTES = 65_536;

/** A table of services and dishes as the text of a catalog file, with what was taken and what was left behind and why. */
export function importCsv(
  source: { name: string; text: string },
  business: ImportedBusiness,
): { yaml: string; report: ImportReport } {
  const described = parseImportedBusiness(business);
  const problems: CsvIssue[] = [];
  const { titles, rows } = readTable(source, problems);
  const left = titles.unknown.map((title) => ({
    what: `the column ${quote(title)}`,
    why: "deskbell has no column for it",
  }));
  const { sections, namedCategories, issues: found } = readCsvSections(rows, described);
  refuse(source.name, [...problems, ...found]);
  const named =
    namedCategories === 0
      ? []
      : [`${countOf(namedCategories, "category")} made of the names in the column 'category'`];
  const heading =
    "Imported from a CSV file. Keys are what ids are made of: keep them, and a second import finds its way.";
  return {
    yaml: writeYaml({ catalog: 1, business: described, ...sections }, heading),
    report: { taken: [...summarizeSections(sections), ...named], left },
  };
}

type Titles = { columns: (CsvColumn | undefined)[]; unknown: string[] };

function readTable(
  source: { name: string; text: string },
  problems: CsvIssue[],
): { titles: Titles; rows: CsvRow[] } {
  const { name, text } = source;
  const refuseAll = (message: string, fix: string) =>
    new AppError("invalid_input", `${safe(name)} ${message}`, { fix });
  if (Buffer.byteLength(text) > MAX_BYTES) throw refuseAll("is larger than 50 MB.", "split it");
  if (text.includes("\ufffd"))
    throw refuseAll("is not UTF-8 text.", "save it from the spreadsheet as 'CSV UTF-8'");

  const [head, ...records] = parseRecords(name, text);
  if (head === undefined)
    throw refuseAll("is empty.", `give it the columns ${CSV_COLUMNS.join(",")}`);
  if (records.length > MAX_ROWS) throw refuseAll(`has more than ${MAX_ROWS} rows.`, "split it");

  const titles = readTitles(name, head);
  const rows = records.map(({ line, cells }): CsvRow => {
    const row: CsvCells = {};
    for (const [index, raw] of cells.entries()) {
      const column = titles.columns[index];
      if (Buffer.byteLength(raw) > MAX_FIELD_BYTES)
        problems.push({
          line,
          code: "invalid_value",
          detail: `Column ${index + 1} holds more than 64 KiB.`,
        });
      else if (column !== undefined) row[column] = readCell(raw);
      else if (index >= titles.columns.length && raw.trim() !== "")
        problems.push({
          line,
          code: "invalid_value",
          detail: `This row has ${cells.length} cells, but there are ${titles.columns.length} columns. Put a text that holds a separator in quotes.`,
        });
    }
    return { line, cells: row };
  });
  return { titles, rows };
}

type Record = { line: number; cells: string[] };

function parseRecords(name: string, text: string): Record[] {
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
      line: info.lines - breaksIn(record),
      cells: record,
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === "number" ? error.lines : 1;
    refuse(name, [{ line, code: "invalid_syntax", detail: explain(error) }]);
    throw error;
  }
}

function explain({ code, message }: CsvError): string {
  if (code === "CSV_QUOTE_NOT_CLOSED")
    return `A quote that opens is never closed: ${safe(message)}.`;
  if (code === "CSV_MAX_RECORD_SIZE") return "This row is far too long: a field may hold 64 KiB.";
  return `A quote stands inside a cell: write it twice ("") and put the cell in quotes (${safe(message)}).`;
}

const breaksIn = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);

/** Spreadsheets of half the world write semicolons. The titles have none of either inside. */
function separatorOf(text: string): string {
  const titles = /^[^\r\n]*/.exec(text)?.[0] ?? "";
  const count = (separator: string) => titles.split(separator).length;
  return [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

function readTitles(file: string, { line, cells }: Record): Titles {
  const wanted: readonly string[] = CSV_COLUMNS;
  const names = cells.map((title) =>
    title
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_"),
  );
  const problems = ["type", "name"]
    .filter((needed) => !names.includes(needed))
    .map((needed) => `There is no column '${needed}'.${didYouMean(needed, names)}`);
  const repeated = names.filter(
    (name, index) => wanted.includes(name) && names.indexOf(name) !== index,
  );
  problems.push(...repeated.map((name) => `The column '${name}' is there twice.`));
  refuse(
    file,
    problems.map((detail) => ({ line, code: "missing_field", detail })),
  );
  return {
    columns: names.map((name) => CSV_COLUMNS.find((column) => column === name)),
    unknown: cells.filter(
      (title, index) => title.trim() !== "" && !wanted.includes(names[index] ?? ""),
    ),
  };
}

function refuse(name: string, problems: readonly CsvIssue[]): void {
  if (problems.length === 0) return;
  const message = `${problems.length} ${problems.length === 1 ? "mistake" : "mistakes"} in ${safe(name)}. Nothing was written.`;
  throw new AppError("invalid_input", message, {
    fix: "mend what is listed and run the same command again",
    issues: problems
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, code, detail }) => ({
        code,
        detail: safe(detail, 1000),
        place: `${safe(name)}:${line}`,
      })),
  });
}
