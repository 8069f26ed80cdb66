import { isAtLeast, type Severity } from "../../../domain/conditions/registry.ts";
import { summarizeNames } from "../../../domain/text.ts";
import type { Cli } from "../../../cli/cli.ts";
import { EXIT } from "../../../cli/failure.ts";
import { shortTime } from "../../../cli/output/table.ts";
import { askServers, bothRun } from "./ask-servers.ts";

/** Prints one line per server of a servers file. */
export async function printServers(
  cli: Cli,
  file: string,
  severity: Severity,
  metricsTokenFile?: string,
): Promise<number> {
  const rows = (await askServers(file, { dataDir: cli.flags.dataDir, metricsTokenFile })).map(
    (asked) => {
      const { name, running, failures } = asked;
      const [first] = running;
      const status = first?.status;
      const problems = (status?.problems ?? []).filter((problem) =>
        isAtLeast(problem.severity, severity),
      );
      const error = first === undefined ? failures.join("; ") : running[1] ? bothRun(asked) : null;
      return { name, address: first?.address ?? null, error, ...status, problems };
    },
  );
  cli.printList(
    rows,
    [
      { title: "SERVER", value: "name", noTruncate: true },
      {
        title: "STATE",
        value: ({ error, problems }) =>
          error ?? (summarizeNames(problems.map(({ code }) => code)) || "ok"),
        wraps: true,
      },
      { title: "BUSINESSES", value: ({ businesses }) => businesses?.length, align: "right" },
      {
        title: "PENDING",
        value: ({ deliveries }) => deliveries && (deliveries["PENDING"] ?? 0),
        align: "right",
      },
      { title: "LAST BACKUP", value: ({ lastBackupAt }) => shortTime(lastBackupAt ?? null) },
      { title: "LAST COPY", value: ({ lastCopyAt }) => shortTime(lastCopyAt ?? null) },
      { title: "ADDRESS", value: "address", optional: true },
    ],
    "",
  );
  const isWell = rows.every(({ error, problems }) => error === null && problems.length === 0);
  return isWell ? EXIT.ok : EXIT.someFailed;
}
