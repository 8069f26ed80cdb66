import { existsSync } from "node:fs";
import type { Inspection } from "../../app/operations/inspection.ts";
import type { Status } from "../../app/operations/status.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { CheckResult, Finding } from "../../domain/conditions/registry.ts";
import { shellQuote } from "../../domain/text.ts";
import { findNewestBackup } from "./backups.ts";
import { adviseOnCopies } from "./checks.ts";
import { checkBackupKeys } from "./restore/keys.ts";
import { listReplacedData } from "./restore/replaced-data.ts";
import { restoreDraftPath } from "./store/files.ts";
import { checkBackupsOfMoved } from "./upkeep/backups-of-moved.ts";

export const doctor: readonly Inspection[] = [{ about: "backup", inspect: inspectBackups }];

function inspectBackups(rt: Runtime, status: Status, conditions: Finding[]): CheckResult {
  const { daemon, problems } = status;
  const lastBackup = findNewestBackup(rt);
  const findings = [...conditions];
  const draft = restoreDraftPath(rt.config.databasePath);
  if (!daemon.isRunning && existsSync(draft))
    findings.push({
      text: `a restore was interrupted: the data is as before, and its draft ${draft} is not needed`,
      fix: `rm ${shellQuote(draft)}*`,
      isAdvice: true,
    });
  for (const { path, deletedAt } of listReplacedData(rt.config))
    findings.push({
      text: `${path}, which a restore replaced, may have guests that were erased since; it is deleted on ${new Date(deletedAt).toISOString().slice(0, 10)}`,
      fix: `rm ${shellQuote(path)}, if nobody needs the data from before the restore`,
      isAdvice: true,
    });
  findings.push(...checkBackupsOfMoved(rt));
  if (rt.store.file.hasOldSpace())
    findings.push({
      text: `the free space of ${rt.config.databasePath} may still have guests that version 0.2 has erased, until the daemon rewrites the file after a backup; a large one between 3:00 and 5:00 in the night`,
      fix: "keep the daemon running, with free disk space of twice the size of the file",
      isAdvice: true,
    });
  const hasValidKey = !problems.some(({ about }) => about === "secret");
  if (hasValidKey) findings.push(...checkBackupKeys(rt));
  if (lastBackup !== undefined) findings.push(...adviseOnCopies(rt, hasValidKey));
  else if (conditions.length === 0)
    findings.push({ text: "there is no backup yet", fix: "deskbell backup", isAdvice: true });
  return { about: "backups", summary: lastBackup?.path ?? "none", findings };
}
