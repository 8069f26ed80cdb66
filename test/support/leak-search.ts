import fs, { readdirSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Searches the data folders of tests for secrets before the tests delete them. This setup file
// is loaded if PROOFS_LEAKS names the file for the findings.

/** Matches API keys, tokens of calendars and signing secrets, whole and in plain text. */
const SECRET = /deskbell_(?:[sr]k|cal)_[0-9A-Za-z]{38}|whsec_[0-9A-Za-z+/]{48}/g;

/** Returns the places of secrets in the files of a folder, and the number of files. */
export function findLeaks(folder: string): { files: number; leaks: string[] } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "master.key")
    .map(({ parentPath, name }) => join(parentPath, name));
  const leaks = files.flatMap((file) =>
    Array.from(
      readFileSync(file, "latin1").matchAll(SECRET),
      ([secret]) => `${secret.slice(0, 14)}… in ${file.slice(folder.length)}`,
    ),
  );
  return { files: files.length, leaks: [...new Set(leaks)] };
}

/**
 * Returns whether a folder has a database. Folders without one are not searched: the program writes
 * into them only what a test asks for, such as the output of `keys create --out`, or documents.
 */
const hasData = (folder: string): boolean =>
  readdirSync(folder, { recursive: true }).some((path) => String(path).endsWith(".db"));

const report = process.env["PROOFS_LEAKS"];
if (report !== undefined) {
  const { rmSync } = fs;
  fs.rmSync = (path, options) => {
    const folder = String(path);
    if (
      folder.startsWith(tmpdir()) &&
      fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() &&
      hasData(folder)
    )
      fs.appendFileSync(report, `${JSON.stringify({ folder, ...findLeaks(folder) })}\n`);
    rmSync(path, options);
  };
  syncBuiltinESMExports();
}
