import { byteSize } from "../../domain/byte-size.ts";
import { countOf } from "../../domain/count-of.ts";
import { AppError } from "../../domain/errors.ts";
import type { Config } from "../../config.ts";
import type { Runtime } from "../../runtime.ts";
import { examineDatabase } from "../../store/examine.ts";
import {
  type DaemonAnswer,
  judgeAnswer,
  judgeClock,
  judgeDatabase,
  judgeExpiry,
  judgeHashes,
  judgeOpenFiles,
  judgeOwed,
  judgeTimezones,
} from "./doctor-checks.ts";
import { filesOf, judgeFiles } from "./doctor-files.ts";
import type { Check, Finding } from "./finding.ts";
import { openFileLimit } from "./open-files.ts";
import { readStatus, type Status } from "./status.ts";
import type { Trouble } from "./troubles.ts";

type Surroundings = {
  open: () => Promise<Runtime>;
  /** Asks the daemon at its address whether it is well. */
  askDaemon: (url: string) => Promise<DaemonAnswer>;
};

/** Looks at everything that can go wrong with a box, part by part, and changes nothing. What a part stands on comes before it. */
export async function* examine(
  config: Config,
  { open, askDaemon }: Surroundings,
): AsyncGenerator<Check> {
  // Modes and owners mean nothing where there are no users of that kind.
  if (process.getuid) {
    const files = filesOf(config);
    yield {
      about: "files",
      looked: `${files.length} in ${config.dataDir}`,
      findings: judgeFiles(files),
    };
  }
  const database = examineFile(config.databasePath);
  yield database;
  if (database.findings.length > 0) return;
  const rt = await open();
  const status = readStatus(rt);
  const troubles = (...about: Trouble["about"][]): Finding[] =>
    status.troubles
      .filter((trouble) => about.includes(trouble.about))
      .map(({ text, command }) => ({ text, fix: command }));

  yield checkKeys(rt, troubles("key"));
  const secrets = rt.store.endpointSecrets.all().length;
  yield { about: "secrets", looked: `${secrets} sealed`, findings: troubles("secret") };
  yield checkClock(rt, status.daemon);
  yield { about: "disk", looked: `${byteSize(status.freeBytes)} free`, findings: troubles("disk") };
  yield await checkDaemon(rt, status.daemon, troubles("daemon", "courier"), askDaemon);
  yield checkWebhooks(rt, troubles("endpoint", "delivery"));
  yield checkBackups(status, troubles("backup"));
}

function examineFile(path: string): Check {
  try {
    const facts = examineDatabase(path);
    const looked = `SQLite ${facts.sqlite}, schema ${facts.schema}, ${byteSize(facts.bytes)} read`;
    return { about: "database", looked, findings: judgeDatabase(facts) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      about: "database",
      looked: path,
      findings: [{ text: error.message, fix: error.fix ?? "deskbell backup list" }],
    };
  }
}

function checkKeys(rt: Runtime, troubles: Finding[]): Check {
  const keys = rt.store.keys.list();
  const slugOf = (id: string) => rt.store.businesses.byId(id)?.slug ?? id;
  const findings = [
    ...judgeHashes(rt.store.keys.notHashed()),
    ...troubles,
    ...judgeExpiry(keys, slugOf, rt.now()),
  ];
  return { about: "keys", looked: `${keys.length}, each a hash`, findings };
}

function checkClock(rt: Runtime, { startedAt }: Status["daemon"]): Check {
  const businesses = rt.store.businesses.all();
  const newestAt = Math.max(
    startedAt ?? 0,
    rt.store.events.list({}, 1)[0]?.createdAt ?? 0,
    ...businesses.map(({ updatedAt }) => updatedAt),
  );
  const zones = businesses.map(({ slug, doc }) => ({ slug, timezone: doc.timezone }));
  const looked = countOf(new Set(zones.map(({ timezone }) => timezone)).size, "time zone");
  return {
    about: "clock",
    looked,
    findings: [...judgeClock(rt.now(), newestAt), ...judgeTimezones(zones)],
  };
}

async function checkDaemon(
  rt: Runtime,
  { isRunning, url }: Status["daemon"],
  troubles: Finding[],
  askDaemon: Surroundings["askDaemon"],
): Promise<Check> {
  const limit = (isRunning ? rt.store.live.daemon()?.openFiles : null) ?? openFileLimit();
  const findings = [...troubles, ...judgeOpenFiles(limit, rt.store.endpoints.list().length)];
  if (url !== null) findings.push(...judgeAnswer(url, await askDaemon(url), rt.now()));
  return { about: "daemon", looked: url === null ? "running" : `answers at ${url}`, findings };
}

function checkWebhooks(rt: Runtime, troubles: Finding[]): Check {
  const endpoints = rt.store.endpoints.list().length;
  const isTold = rt.store.live.daemon()?.hasAlertUrl === true || rt.config.alertUrl !== null;
  const findings = [...troubles, ...judgeOwed(rt.store.events.owed())];
  if (endpoints > 0 && !isTold)
    findings.push({
      text: "nobody is told when an endpoint begins to fail: the daemon has no --alert-url",
      fix: "deskbell serve --alert-url URL, or DESKBELL_ALERT_URL in its environment",
      isAdvice: true,
    });
  return { about: "webhooks", looked: countOf(endpoints, "endpoint"), findings };
}

function checkBackups({ lastBackup }: Status, troubles: Finding[]): Check {
  const findings = [...troubles];
  if (lastBackup === null && troubles.length === 0)
    findings.push({ text: "there is no backup yet", fix: "deskbell backup", isAdvice: true });
  return { about: "backups", looked: lastBackup?.path ?? "none", findings };
}
