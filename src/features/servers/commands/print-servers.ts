import { isAtLeast, type Severity } from "../../../domain/conditions/registry.ts";
import { byteSize, summarizeNames } from "../../../domain/text.ts";
import { wallClock } from "../../../app/runtime.ts";
import type { Cli } from "../../../cli/cli.ts";
import { EXIT } from "../../../cli/failure.ts";
import { shortTime } from "../../../cli/output/table.ts";
import { type AskedServer, askServers, bothRun } from "./ask-servers.ts";

/**
 * Prints one line per server of a servers file.
 * @returns the exit code
 */
export async function printServers(
  cli: Cli,
  file: string,
  severity: Severity,
  metricsTokenFile?: string,
): Promise<number> {
  const servers = await askServers(file, { dataDir: cli.flags.dataDir, metricsTokenFile });
  const serversOf = listServersOf(servers);
  const now = wallClock();
  const rows = servers.map((asked) => {
    const { name, running, failures } = asked;
    const [first, second] = running;
    const status = first?.status;
    const problems = (status?.problems ?? []).filter((problem) =>
      isAtLeast(problem.severity, severity),
    );
    const error =
      first === undefined
        ? failures.join("; ")
        : second
          ? bothRun(asked)
          : (describeShared(name, status?.businesses ?? [], serversOf) ?? null);
    return { name, address: first?.address ?? null, error, ...status, problems };
  });
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
      {
        title: "COPY AGE",
        value: ({ lastCopyAt }) => ageOf(lastCopyAt ?? null, now),
        align: "right",
      },
      {
        title: "COPIED A DAY",
        value: ({ copyBytesPerDay }) => copyBytesPerDay && byteSize(copyBytesPerDay),
        align: "right",
      },
      { title: "VERSION", value: ({ version }) => version },
    ],
    "",
  );
  const isWell = rows.every(({ error, problems }) => error === null && problems.length === 0);
  return isWell ? EXIT.ok : EXIT.someFailed;
}

/** Returns the names of the servers that have each business. */
function listServersOf(servers: readonly AskedServer[]): Map<string, string[]> {
  const serversOf = new Map<string, string[]>();
  for (const { name, running } of servers)
    for (const slug of running[0]?.status.businesses ?? [])
      serversOf.set(slug, [...(serversOf.get(slug) ?? []), name]);
  return serversOf;
}

/** Returns a text about businesses that another server also has: both servers take bookings. */
function describeShared(
  name: string,
  businesses: readonly string[],
  serversOf: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const shared = businesses.filter((slug) => (serversOf.get(slug) ?? []).length > 1);
  if (shared.length === 0) return undefined;
  const others = new Set(shared.flatMap((slug) => serversOf.get(slug) ?? []));
  others.delete(name);
  return `${summarizeNames(shared)}: also on ${[...others].join(", ")}`;
}

/** Returns the age of the newest copy: a takeover would lose what was written since. */
const ageOf = (at: string | null, now: number): string =>
  at === null ? "" : `${Math.max(0, Math.floor((now - Date.parse(at)) / 60_000))} min`;
