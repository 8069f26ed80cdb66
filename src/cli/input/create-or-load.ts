import { createReadStream } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";
import { isPipe, readLimited, streamStdin } from "../../platform/limited-read.ts";
import type { Runtime } from "../../app/runtime.ts";
import { fileReadError } from "./catalog-files.ts";
import type { Cli } from "../cli.ts";
import { EXIT, usageError } from "../failure.ts";
import { text } from "../flags.ts";

/**
 * The flag --input of commands that can create many objects.
 * @param fields names the JSON fields of a line
 */
export const inputFlag = (fields: string) =>
  text("file", `create many: a JSON object per line with ${fields}; - reads stdin`);

const MAX_LINE_BYTES = 65_536;
const LINE_BREAK = 10;
/** Time between two messages about the progress. */
const PROGRESS_MS = 1000;

type Given = Record<string, string | number | readonly string[] | object | undefined>;

/**
 * Creates one object from the options, or one per line of the `input` file. Returns the exit code.
 * @param required the required fields, each with its flag
 */
export async function createOrLoad(
  cli: Cli,
  rt: Runtime,
  input: string | undefined,
  given: Given,
  required: Record<string, string>,
  create: (fields: unknown) => { id: string },
): Promise<number> {
  const names = Object.keys(given).filter((name) => isGiven(given[name]));
  if (input !== undefined) {
    if (names.length > 0)
      throw usageError(
        "--input cannot be combined with options that describe one object.",
        "leave the other options out",
      );
    return loadLines(cli, rt, input, create);
  }
  const missing = Object.keys(required).filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw usageError(
      `Missing ${missing.map((name) => required[name]).join(" and ")}.`,
      "add what is missing, or create many with --input FILE",
    );
  cli.printObject(create(Object.fromEntries(names.map((name) => [name, given[name]]))));
  return EXIT.ok;
}

const isGiven = (value: Given[string]): boolean =>
  value !== undefined && (!Array.isArray(value) || value.length > 0);

/**
 * Creates an object from each line. Each line has its own transaction, so a rejected line does not
 * stop the lines after it.
 */
async function loadLines(
  cli: Cli,
  rt: Runtime,
  input: string,
  create: (fields: unknown) => { id: string },
): Promise<number> {
  const participle = cli.flags.dryRun ? "would be created" : "created";
  let [lineNumber, created, failed] = [0, 0, 0];
  let progressAt = rt.monotonic() + PROGRESS_MS;
  // The reports of a dry run are printed at the end: printing undoes what the dry run has written,
  // but the results of later lines depend on these writes.
  const reports: string[] = [];
  try {
    for await (const line of linesOf(cli, input)) {
      lineNumber += 1;
      // Blank lines are skipped. Latin-1 decodes any bytes; `parse` rejects invalid UTF-8 later.
      if (line.toString("latin1").trim() === "") continue;
      const result = tryLine(line, create);
      if ("id" in result) created += 1;
      else failed += 1;
      const text = describeResult(cli, lineNumber, result);
      if (cli.flags.dryRun) reports.push(text);
      else cli.print(text);
      if (rt.monotonic() < progressAt) continue;
      progressAt = rt.monotonic() + PROGRESS_MS;
      cli.note(`line ${lineNumber}: ${created} ${participle}, ${failed} rejected so far`);
    }
  } finally {
    if (reports.length > 0) cli.print(reports.join(""));
  }
  cli.note(`${created} ${participle}, ${failed} rejected.`);
  return failed > 0 ? EXIT.someFailed : EXIT.ok;
}

/**
 * Yields the lines of the input as bytes, so that invalid UTF-8 in one line rejects only this line.
 * A line that is too long is cut one byte beyond the limit, so that `parse` rejects it.
 */
async function* linesOf(cli: Cli, input: string): AsyncGenerator<Buffer> {
  let partial = Buffer.alloc(0);
  const append = (part: Buffer) =>
    (partial = Buffer.concat([partial, part.subarray(0, MAX_LINE_BYTES + 1 - partial.length)]));
  try {
    for await (const chunk of chunksOf(cli, input)) {
      let rest = chunk;
      for (let end = rest.indexOf(LINE_BREAK); end !== -1; end = rest.indexOf(LINE_BREAK)) {
        yield append(rest.subarray(0, end));
        partial = Buffer.alloc(0);
        rest = rest.subarray(end + 1);
      }
      append(rest);
    }
  } catch (error) {
    throw fileReadError(error, input);
  }
  yield partial;
}

function chunksOf(cli: Cli, input: string): AsyncIterable<Buffer> | Iterable<Buffer> {
  if (input === "-") return streamStdin(cli.io.stdin);
  // A stream would wait forever for a pipe that nobody closes; `readLimited` gives up.
  return isPipe(input) ? [readLimited(input)] : createReadStream(input);
}

type Result = { id: string } | { error: { code: string; detail: string } };

function tryLine(line: Buffer, create: (fields: unknown) => { id: string }): Result {
  try {
    return { id: create(parse(line)).id };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const detail =
      error.issues.length > 0 ? error.issues.map((item) => item.detail).join(" ") : error.message;
    return { error: { code: error.code, detail } };
  }
}

// `fatal` rejects invalid bytes; by default, the decoder replaces them without an error. A byte
// order mark is dropped.
const UTF8 = new TextDecoder("utf-8", { fatal: true });

function parse(line: Buffer): unknown {
  if (line.length > MAX_LINE_BYTES)
    throw new AppError("body_too_large", `The line is longer than ${MAX_LINE_BYTES} bytes.`);
  let text: string;
  try {
    text = UTF8.decode(line);
  } catch {
    throw new AppError("invalid_input", "The line is not valid UTF-8 text.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("invalid_json", "The line is not JSON.");
  }
}

function describeResult(cli: Cli, line: number, result: Result): string {
  if (cli.flags.json) return `${cli.toJson({ line, ...result }, 0)}\n`;
  return "id" in result
    ? `${line}\tok\t${result.id}\n`
    : `${line}\t${result.error.code}\t${safe(result.error.detail, 2000)}\n`;
}
