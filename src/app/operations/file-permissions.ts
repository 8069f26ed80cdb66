import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import { shellQuote, summarizeNames } from "../../domain/text.ts";
import type { Finding } from "../../domain/conditions/registry.ts";

type FilePermissions = { path: string; mode: number; uid: number; gid: number };

/** Masks of the permissions that nobody but the owner may have on a file or folder. */
const GROUP_AND_OTHERS = 0o077;
const GROUP_AND_OTHERS_WRITE = 0o022;
const OTHERS_WRITE = 0o002;
/**
 * The folder that ext4 has at the top of a disk. It belongs to root, and deskbell does not use it.
 */
const LOST_AND_FOUND = "lost+found";
/** The mask for files that a group may read, such as the key of a TLS certificate. */
const OTHERS = 0o007;

/**
 * Lists the data folder, and then everything in it. The list is empty on Windows, which has no such
 * modes and owners.
 */
export function listFilePermissions({ dataDir }: Config): FilePermissions[] {
  if (!process.getuid || !existsSync(dataDir)) return [];
  const names = readdirSync(dataDir, { withFileTypes: true })
    .filter(({ name }) => name !== LOST_AND_FOUND)
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const inside = readdirSync(join(dataDir, entry.name), { recursive: true, encoding: "utf8" });
      return [entry.name, ...inside.map((name) => join(entry.name, name))];
    });
  return [dataDir, ...names.map((name) => join(dataDir, name))].flatMap((path) => {
    // The data folder itself may be a link: the folder to which it leads is examined.
    const file = path === dataDir ? statSync(path) : lstatSync(path, { throwIfNoEntry: false });
    // The file was deleted meanwhile, or is a link, whose own mode means nothing.
    if (file === undefined || file.isSymbolicLink()) return [];
    return { path, mode: file.mode, uid: file.uid, gid: file.gid };
  });
}

/**
 * Returns whether a folder is a volume that root owns and that this process may use by its group,
 * as Kubernetes mounts it (fsGroup). The group may then read and write all files.
 */
const isGroupVolume = ({ uid, gid }: FilePermissions): boolean =>
  uid === 0 && process.getuid?.() !== 0 && (process.getgroups?.() ?? []).includes(gid);

/**
 * Reports what another user owns in the data folder, and what other users can access.
 * @param folderMask the permissions that other users may not have on the data folder itself
 */
export function checkFilePermissions(
  [folder, ...files]: readonly FilePermissions[],
  folderMask = GROUP_AND_OTHERS,
): Finding[] {
  if (folder === undefined) return [];
  const pathsOf = (listed: readonly FilePermissions[]) =>
    summarizeNames(listed.map(({ path }) => path));
  const belongsToGroup = isGroupVolume(folder);
  const maskOf = (file: FilePermissions): number => {
    if (belongsToGroup && file.gid === folder.gid) return file === folder ? OTHERS_WRITE : OTHERS;
    return file === folder ? folderMask : GROUP_AND_OTHERS;
  };
  const accessible = [folder, ...files].filter((file) => (file.mode & maskOf(file)) !== 0);
  const owner = belongsToGroup ? process.getuid?.() : folder.uid;
  const foreign = files.filter(({ uid }) => uid !== owner);
  const findings: Finding[] = [];
  if (accessible.length > 0)
    findings.push({
      text: `other users of this machine can access ${pathsOf(accessible)}`,
      fix: `chmod -R ${belongsToGroup ? "o=" : "go="} ${shellQuote(folder.path)}`,
    });
  if (foreign.length > 0)
    findings.push({
      text: `${pathsOf(foreign)} ${foreign.length === 1 ? "is" : "are"} not owned by user ${owner}, who ${belongsToGroup ? "runs deskbell" : "owns the folder"}`,
      fix: `sudo chown -R ${owner} ${shellQuote(folder.path)}`,
    });
  return findings;
}

/**
 * Checks the data folder like `checkFilePermissions`, but accepts that others can list the folder,
 * because they cannot read its files.
 */
export const checkDataFolder = (config: Config): Finding[] =>
  checkFilePermissions(listFilePermissions(config), GROUP_AND_OTHERS_WRITE);

/**
 * Checks the data folder and other files with secrets when the daemon starts.
 * @throws AppError not_permitted if there are findings and --strict-permissions is set
 */
export function checkSecretFiles(config: Config, tlsKey: string | undefined): Finding[] {
  const accessible = [tlsKey, config.http.metricsTokenFile, config.alerts.smtpUrlFile].filter(
    (path): path is string => typeof path === "string" && isOpenToOthers(path),
  );
  const findings = [
    ...checkDataFolder(config),
    ...accessible.map((path) => ({
      text: `other users of this machine can access ${path}`,
      fix: `chmod o= ${shellQuote(path)}`,
    })),
  ];
  if (findings.length === 0 || !config.strictPermissions) return findings;
  throw new AppError(
    "not_permitted",
    `--strict-permissions: ${findings.map(({ text }) => text).join("; ")}.`,
    { fix: findings.map(({ fix }) => fix).join(" && ") },
  );
}

/**
 * Returns whether other users can access a file. The result is false for a missing or unreadable
 * file, because the code that reads the file reports that.
 */
function isOpenToOthers(path: string): boolean {
  if (!process.getuid) return false;
  try {
    return (statSync(path).mode & OTHERS) !== 0;
  } catch {
    return false;
  }
}
