import { createReadStream } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/safe-text.ts";
import type { Runtime } from "../../app/runtime.ts";
import { fileReadError } from "./catalog-files.ts";
import type { Cli } from "../cli.ts";
import { EXIT } from "../exit-codes.ts";
import { text } from "../flags.ts";

export const inputFlag = text(
  "file",
  "load many: a JSON object a line, with the fields of these options; - reads stdin",
);

const MAX_LINE_BYTES = 65_536;
const PROGRESS_MS = 1000;

type Given = Record<string, string | number | readonly string[] | undefined>;

/**
 * Writes one thing that the options describe, or one for each line of `from`.
 * @param required the fields without which there is nothing to write, each with its option
 * @returns the exit code
 */
export async function createOrLoad(
  cli: Cli,
  rt: Runtime,
  from: string | undefined,
  given: Given,
  required: Record<string, string>,
  create: (input: unknown) => { id: string },
): Promise<number> {
  const names = Object.keys(given).filter((name) => isGiven(given[name]));
  if (from !== undefined) {
    if (names.length > 0)
      throw new AppError("usage", "With --from everything stands in the file.", {
        fix: "leave the other options out",
      });
    return loadLines(cli, rt, from, create);
  }
  const missing = Object.keys(required).filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new AppError("usage", "That is not enough to go on.", {
      fix: `add ${missing.map((name) => required[name]).join(" and ")}, or load many with --from`,
    });
  cli.printObject(create(Object.fromEntries(names.map((name) => [name, given[name]]))));
  return EXIT.ok;
}

const isGiven = (value: Given[string]): boolean =>
  value !== undefined && (!Array.isArray(value) || value.length > 0);

/** Each line in a transaction of its own, told of on stdout: one that is refused stops none of the others. */
async function loadLines(
  cli: Cli,
  rt: Runtime,
  from: string,
  create: (input: unknown) => { id: string },
): Promise<number> {
  let [number, written, failed] = [0, 0, 0];
  let progressAt = rt.monotonic() + PROGRESS_MS;
  for await (const line of linesOf(cli, from)) {
    number += 1;
    if (line.toString("latin1").trim() === "") continue;
    const result = tryLine(line, create);
    if ("id" in result) written += 1;
    else failed += 1;
    cli.io.stdout.write(report(number, result, cli.flags.json));
    if (rt.monotonic() < progressAt) continue;
    progressAt = rt.monotonic() + PROGRESS_MS;
    cli.note(`line ${number}: ${written} written, ${failed} refused so far`);
  }
  cli.note(`${written} written, ${failed} refused.`);
  return failed > 0 ? EXIT.someFailed : EXIT.ok;
}

/** As bytes: what they say, and whether it is text at all, is looked at line by line. */
async function* linesOf(cli: Cli, from: string): AsyncGenerator<Buffer> {
  const input: AsyncIterable<Buffer | string> =
    from === "-" ? cli.io.stdin : createReadStream(from);
  let begun: Buffer[] = [];
  try {
    for await (const chunk of input) {
      let rest = Buffer.from(chunk as string);
      for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n")) {
        yield Buffer.concat([...begun, rest.subarray(0, end)]);
        begun = [];
        rest = rest.subarray(end + 1);
      }
      begun.push(rest);
    }
  } catch (error) {
    throw fileReadError(error, from);
  }
  yield Buffer.concat(begun);
}

type Result = { id: string } | { error: { code: string; detail: string } };

function tryLine(line: Buffer, create: (input: unknown) => { id: string }): Result {
  try {
    return { id: create(parse(line)).id };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const detail =
      error.issues.length > 0 ? error.issues.map((item) => item.detail).join(" ") : error.message;
    return { error: { code: error.code, detail } };
  }
}

// Letters of another encoding would be lost without a word. A mark at the beginning of a file is no letter.
const UTF8 = new TextDecoder("utf-8", { fatal: true });

function parse(line: Buffer): unknown {
  if (line.length > MAX_LINE_BYTES)
    throw new AppError("body_too_large", `The line is longer than ${MAX_LINE_BYTES} bytes.`);
  let text: string;
  try {
    text = UTF8.decode(line);
  } catch {
    throw new AppError("invalid_input", "The line is not text in UTF-8.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("invalid_json", "The line is not JSON.");
  }
}

function report(line: number, result: Result, json: boolean): string {
  if (json) return `${JSON.stringify({ line, ...result })}\n`;
  return "id" in result
    ? `${line}\tok\t${result.id}\n`
    : `${line}\t${result.error.code}\t${safe(result.error.detail, 2000)}\n`;
}
