import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { type Finding, listed } from "./finding.ts";
import { shellWord } from "../../domain/shell-word.ts";

export type FileFact = { path: string; mode: number; uid: number };

const OTHERS = 0o077;

/** The data folder and all that is in it. */
export function filesOf({ dataDir }: Config): FileFact[] {
  const inside = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) =>
    join(dataDir, name),
  );
  return [fact(dataDir, statSync(dataDir)), ...inside.flatMap(factOf)];
}

/** Logs and drafts come and go meanwhile, and a link is as open as what it leads to. */
function factOf(path: string): FileFact[] {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return file === undefined || file.isSymbolicLink() ? [] : [fact(path, file)];
}

const fact = (path: string, { mode, uid }: { mode: number; uid: number }): FileFact => ({
  path,
  mode,
  uid,
});

/** What is in the folder is for its owner alone. */
export function judgeFiles([folder, ...files]: readonly FileFact[]): Finding[] {
  if (folder === undefined) return [];
  const findings: Finding[] = [];
  const open = [folder, ...files].filter(({ mode }) => (mode & OTHERS) !== 0);
  if (open.length > 0)
    findings.push({
      text: `other users of this machine can get at ${listed(pathsOf(open))}`,
      fix: `chmod -R go= ${shellWord(folder.path)}`,
    });
  const foreign = files.filter(({ uid }) => uid !== folder.uid);
  if (foreign.length > 0)
    findings.push({
      text: `${listed(pathsOf(foreign))} ${foreign.length === 1 ? "does" : "do"} not belong to user ${folder.uid}, as the folder does`,
      fix: `sudo chown -R ${folder.uid} ${shellWord(folder.path)}`,
    });
  return findings;
}

const pathsOf = (files: readonly FileFact[]): string[] => files.map(({ path }) => path);
