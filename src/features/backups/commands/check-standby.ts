import { accessSync, constants, existsSync } from "node:fs";
import { basename } from "node:path";
import { toSealed } from "../../../app/bookings/guests.ts";
import { authenticate, describeRefusal } from "../authenticity.ts";
import { readOldKeys } from "../restore/keys.ts";
import { checkDataFolder } from "../../../app/operations/file-permissions.ts";
import { checkCertificate } from "../../../domain/conditions/certificate.ts";
import type { CheckResult, Finding } from "../../../domain/conditions/registry.ts";
import { listBackupsIn } from "../backups.ts";
import { findNewestCopy } from "../restore/take-over.ts";
import { isRegularBackup } from "../store/files.ts";
import { wallClock } from "../../../app/runtime.ts";
import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { parseServers } from "../../../domain/servers-file.ts";
import { byteSize, countOf, shellQuote } from "../../../domain/text.ts";
import { readCertificate, type TlsFiles } from "../../../http/transport/tls.ts";
import { decryptWithAny, readMasterKeys } from "../../../platform/secret-box.ts";
import { isDaemonRunning } from "../../../store/database/database.ts";
import { readGuests, readSecrets } from "../store/read-backup.ts";
import { readTextFile } from "../../../cli/input/catalog-files.ts";
import { assertPortAvailable } from "../../../cli/running/port.ts";

type StandbyOptions = {
  /** The folder with the copies of the other server. */
  dir: string;
  tls: TlsFiles | undefined;
  /** The servers file of the proxy, if there is one. */
  servers: string | undefined;
};

/** Checks that this machine can take over from the server that copies its backups to a folder. */
export async function* checkStandby(
  config: Config,
  { dir, tls, servers }: StandbyOptions,
): AsyncGenerator<CheckResult> {
  yield { about: "files", summary: config.dataDir, findings: checkDataFolder(config) };
  yield checkStopped(config);
  // `untrusted` allows a copy that is not authentic, which `checkAuthentic` then reports.
  const newest = await findNewestCopy(config, dir, { untrusted: true }).catch(toFinding);
  if ("text" in newest) {
    yield { about: "backups", summary: dir, findings: [newest] };
  } else {
    const { path, bytes, createdAt } = newest.copy;
    const summary = `${basename(path)}, ${byteSize(bytes)}, made at ${new Date(createdAt).toISOString()}${describeBytesPerDay(dir)}`;
    const findings = [
      ...newest.skipped.map(toDamageFinding),
      ...(await checkAuthentic(config, path)),
      ...checkWritable(dir),
      ...checkBytesPerDay(dir),
    ];
    yield { about: "backups", summary, findings };
    yield checkMasterKey(config, path);
  }
  yield checkTls(tls);
  yield await checkProxy(servers);
}

function checkStopped({ dataDir, databasePath }: Config): CheckResult {
  const findings: Finding[] = [];
  if (isDaemonRunning(databasePath))
    findings.push({
      text: `a daemon runs on the data in ${dataDir}, which a takeover replaces`,
      fix: "stop it, or choose another folder with --data-dir",
    });
  return { about: "daemon", summary: "not running", findings };
}

/** Reports a copy that is not authentic. A missing key is reported by `checkMasterKey`. */
async function checkAuthentic(config: Config, path: string): Promise<Finding[]> {
  const { kind } = await authenticate(config, path);
  if (kind === "authentic" || kind === "no_key") return [];
  return [
    {
      text: `a takeover refuses the newest copy: ${describeRefusal(kind, path, config)}`,
      fix:
        kind === "other_key"
          ? `copy master.key of the other machine to ${shellQuote(config.masterKeyPath)}, with mode 0600`
          : "on the other machine, install a newer version and run deskbell backup, which it copies within a minute",
    },
  ];
}

/** Reports a folder of copies that is not writable, because a takeover is recorded in it. */
function checkWritable(dir: string): Finding[] {
  try {
    accessSync(dir, constants.W_OK);
    return [];
  } catch {
    const text = `this user cannot write to ${dir}, where a takeover is recorded`;
    return [{ text, fix: "mount it for writing, or change its owner and mode" }];
  }
}

const DAY_MS = 86_400_000;
/**
 * If two backups were made within this time, a command made one of them: the shortest `serve
 * --backup-every` is 5 min.
 */
const BY_HAND_MS = 240_000;
/** More bytes a day than this wear out a disk, and fill a line of 10 Mbit/s. */
const MANY_BYTES_PER_DAY = 100_000_000_000;

/**
 * Returns how many bytes the server copies to a folder each day, computed from the size of the
 * newest copy and the time between the last two copies. Each copy has all data. Returns undefined
 * if there are fewer than two copies, or if their times are so close that a command made one of
 * them.
 */
function bytesPerDay(dir: string): number | undefined {
  const [newest, before] = listBackupsIn(dir).filter(({ path }) => isRegularBackup(basename(path)));
  if (newest === undefined || before === undefined) return undefined;
  const intervalMs = newest.createdAt - before.createdAt;
  return intervalMs < BY_HAND_MS ? undefined : Math.round((newest.bytes * DAY_MS) / intervalMs);
}

function describeBytesPerDay(dir: string): string {
  const bytes = bytesPerDay(dir);
  return bytes === undefined ? "" : `; copies take ${byteSize(bytes)} a day`;
}

function checkBytesPerDay(dir: string): Finding[] {
  const bytes = bytesPerDay(dir) ?? 0;
  if (bytes < MANY_BYTES_PER_DAY) return [];
  return [
    {
      text: `each copy has all data, so the copies take ${byteSize(bytes)} a day`,
      fix: "copy less often (serve --backup-every), or use Litestream or snapshots of the file system",
      isAdvice: true,
    },
  ];
}

const toFinding = (error: unknown): Finding => {
  if (error instanceof AppError) return { text: error.message, fix: error.fix ?? "" };
  throw error;
};

const toDamageFinding = (text: string): Finding => ({
  text,
  fix: "check the disk of the copies",
});

/** The number of guests that are decrypted as a sample. A wrong key decrypts none. */
const SAMPLED_GUESTS = 1000;

function checkMasterKey(config: Config, copy: string): CheckResult {
  const { masterKeyPath } = config;
  const secrets = readSecrets(copy);
  const guests = readGuests(copy, SAMPLED_GUESTS).map(toSealed);
  const keys = [...readMasterKeys(masterKeyPath), ...readOldKeys(config, copy)];
  const isLost = ({ id, sealed }: { id: string; sealed: Buffer }) =>
    decryptWithAny(keys, sealed, id) === undefined;
  const lostSecrets = secrets.filter(isLost).length;
  const lostGuests = guests.filter(isLost).length;
  const lost = [
    ...(lostSecrets > 0 ? [`${lostSecrets} of ${countOf(secrets.length, "signing secret")}`] : []),
    ...(lostGuests > 0 ? [`the data of ${lostGuests} of ${countOf(guests.length, "guest")}`] : []),
  ];
  const summary = `${countOf(secrets.length, "signing secret")} and the data of ${countOf(guests.length, "guest")} can be decrypted`;
  const fix = `copy master.key of the other machine to ${shellQuote(masterKeyPath)}, with mode 0600`;
  const findings: Finding[] = [];
  if (!existsSync(masterKeyPath))
    findings.push({
      text: "there is no master key",
      fix,
    });
  else if (lost.length > 0)
    findings.push({
      text: `the master key does not decrypt ${lost.join(" and ")}`,
      fix,
    });
  return { about: "keys", summary, findings };
}

function checkTls(tls: TlsFiles | undefined): CheckResult {
  const about = "certificate";
  if (tls === undefined)
    return { about, summary: "none: a proxy has the certificate", findings: [] };
  try {
    const { names, expiresAt } = readCertificate(tls);
    const findings = checkCertificate(expiresAt, wallClock()).map(({ text, command }) => ({
      text,
      fix: command,
    }));
    return { about, summary: names, findings };
  } catch (error) {
    return { about, summary: tls.cert, findings: [toFinding(error)] };
  }
}

/**
 * Reports that the proxy would not find this machine. The proxy uses the standby when the server's
 * own address does not accept a connection.
 */
async function checkProxy(file: string | undefined): Promise<CheckResult> {
  const about = "proxy";
  if (file === undefined) {
    const text = "whether partners reach this machine after a takeover was not checked";
    const fix =
      "deskbell doctor --standby FOLDER --servers FILE, with the servers file of the proxy";
    return { about, summary: "", findings: [{ text, fix, isAdvice: true }] };
  }
  const names: string[] = [];
  for (const { name, addresses } of parseServers(file, readTextFile(file)))
    // The first address is the server's own, and the others are its standbys.
    for (const address of addresses.slice(1)) if (await canListen(address)) names.push(name);
  const findings: Finding[] = [];
  if (names.length === 0)
    findings.push({
      text: `no standby in ${file} has a free port of this machine, so the proxy would not use it`,
      fix: "add the address of this machine at the end of a line, and run deskbell proxy-map on the proxy",
    });
  return { about, summary: `standby of ${names.join(", ")}`, findings };
}

/** Returns whether an address is a free port of this machine. */
async function canListen(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return assertPortAvailable(hostname.replace(/^\[|\]$/g, ""), Number(port || 80)).then(
    () => true,
    () => false,
  );
}
