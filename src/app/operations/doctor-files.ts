import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { type Finding, summarizeNames } from "./finding.ts";
import { shellQuote } from "../../domain/text.ts";

export type FilePermissions = { path: string; mode: number; uid: number };

const GROUP_AND_OTHERS = 0o077;

/** The data folder first, then everything in it. */
export function listFilePermissions({ dataDir }: Config): FilePermissions[] {
  const inside = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) =>
    join(dataDir, name),
  );
  return [toPermissions(dataDir, statSync(dataDir)), ...inside.flatMap(permissionsOf)];
}

/** Returns nothing for a file deleted meanwhile, and for a link, whose own mode means nothing. */
function permissionsOf(path: string): FilePermissions[] {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return file === undefined || file.isSymbolicLink() ? [] : [toPermissions(path, file)];
}

const toPermissions = (
  path: string,
  { mode, uid }: { mode: number; uid: number },
): FilePermissions => ({
  path,
  mode,
  uid,
});

/** Everything in the data folder must belong to its owner and be closed to other users. */
export function checkFilePermissions([folder, ...files]: readonly FilePermissions[]): Finding[] {
  if (folder === undefined) return [];
  const findings: Finding[] = [];
  const open = [folder, ...files].filter(({ mode }) => (mode & GROUP_AND_OTHERS) !== 0);
  if (open.length > 0)
    findings.push({
      text: `other users of this machine can access ${summarizeNames(pathsOf(open))}`,
      fix: `chmod -R go= ${shellQuote(folder.path)}`,
    });
  const foreign = files.filter(({ uid }) => uid !== folder.uid);
  if (foreign.length > 0)
    findings.push({
      text: `${summarizeNames(pathsOf(foreign))} ${foreign.length === 1 ? "is" : "are"} not owned by user ${folder.uid}, who owns the folder`,
      fix: `sudo chown -R ${folder.uid} ${shellQuote(folder.path)}`,
    });
  return findings;
}

const pathsOf = (files: readonly FilePermissions[]): string[] => files.map(({ path }) => path);
