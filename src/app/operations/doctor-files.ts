import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { type Finding, summarizeNames } from "./finding.ts";
import { shellQuote } from "../../domain/shell-quote.ts";

export type FilePermissions = { path: string; mode: number; uid: number };

const OTHERS = 0o077;

/** The data folder and all that is in it. */
export function listFilePermissions({ dataDir }: Config): FilePermissions[] {
  const inside = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) =>
    join(dataDir, name),
  );
  return [fact(dataDir, statSync(dataDir)), ...inside.flatMap(factOf)];
}

/** Logs and drafts come and go meanwhile, and a link is as open as what it leads to. */
function factOf(path: string): FilePermissions[] {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return file === undefined || file.isSymbolicLink() ? [] : [fact(path, file)];
}

const fact = (path: string, { mode, uid }: { mode: number; uid: number }): FilePermissions => ({
  path,
  mode,
  uid,
});

/** What is in the folder is for its owner alone. */
export function checkFilePermissions([folder, ...files]: readonly FilePermissions[]): Finding[] {
  if (folder === undefined) return [];
  const findings: Finding[] = [];
  const open = [folder, ...files].filter(({ mode }) => (mode & OTHERS) !== 0);
  if (open.length > 0)
    findings.push({
      text: `other users of this machine can get at ${summarizeNames(pathsOf(open))}`,
      fix: `chmod -R go= ${shellQuote(folder.path)}`,
    });
  const foreign = files.filter(({ uid }) => uid !== folder.uid);
  if (foreign.length > 0)
    findings.push({
      text: `${summarizeNames(pathsOf(foreign))} ${foreign.length === 1 ? "does" : "do"} not belong to user ${folder.uid}, as the folder does`,
      fix: `sudo chown -R ${folder.uid} ${shellQuote(folder.path)}`,
    });
  return findings;
}

const pathsOf = (files: readonly FilePermissions[]): string[] => files.map(({ path }) => path);
