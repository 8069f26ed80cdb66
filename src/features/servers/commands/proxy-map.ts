import { AppError } from "../../../domain/errors.ts";
import { PROXY_FORMATS, type ProxyFormat, type MappedServer } from "../rules.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { requiredChoice, text } from "../../../cli/flags.ts";
import { countOf } from "../../../domain/text.ts";
import type { AskedServer } from "./ask-servers.ts";
import { metricsTokenFlag } from "./metrics-token.ts";

export const definition = command({
  arguments: ["<servers>"],
  flags: {
    format: requiredChoice(PROXY_FORMATS, "the proxy that reads the map"),
    metricsTokenFile: metricsTokenFlag,
    previous: text(
      "file",
      "the map that the proxy has: a server that does not respond keeps its rows of this map",
    ),
  },
  examples: [
    "proxy-map --format caddy servers.txt > deskbell.map",
    "proxy-map --format nginx --metrics-token-file /etc/deskbell/metrics.token servers.txt",
    "proxy-map --format nginx --previous deskbell.map servers.txt > map.new",
  ],
  async run(cli, { format, metricsTokenFile, previous }, file) {
    const [{ askServers }, rules] = await Promise.all([
      import("./ask-servers.ts"),
      import("../rules.ts"),
    ]);
    const asked = await askServers(file, { dataDir: cli.flags.dataDir, metricsTokenFile });
    const previousRows = previous === undefined ? undefined : await readRows(format, previous);
    const servers = await mapServers(cli, asked, previousRows);
    rules.assertNotShared(servers);
    if (cli.flags.json) return cli.printObject({ servers });
    cli.printContent(rules.writeProxyMap(format, servers));
    const count = servers.flatMap(({ businesses }) => businesses).length;
    if (format === "caddy" && count > rules.MAX_CADDY_ROWS)
      cli.note(
        `Caddy searches all ${count} rows for each request. Above ${rules.MAX_CADDY_ROWS}, nginx is faster.`,
      );
  },
});

async function readRows(format: ProxyFormat, file: string): Promise<Map<string, string[]>> {
  const [{ readProxyMap }, { readTextFile }] = await Promise.all([
    import("../rules.ts"),
    import("../../../cli/input/catalog-files.ts"),
  ]);
  return readProxyMap(format, file, readTextFile(file));
}

/**
 * Returns the businesses of each server.
 * @param previousRows the slugs of each server in the previous map. A server that does not respond
 *   keeps its slugs, except those that another server has by now
 */
async function mapServers(
  cli: Cli,
  asked: readonly AskedServer[],
  previousRows: Map<string, string[]> | undefined,
): Promise<MappedServer[]> {
  const { getRunning } = await import("./ask-servers.ts");
  const keepsRows = ({ name, running }: AskedServer) =>
    running.length === 0 && previousRows?.has(name);
  if (previousRows !== undefined) assertKnown(asked, previousRows);
  const slugsOfRunning = new Set(
    asked.filter((server) => !keepsRows(server)).flatMap((server) => getRunning(server).businesses),
  );
  return asked.map((server) => {
    const { name, addresses, failures } = server;
    if (!keepsRows(server)) return { name, addresses, businesses: getRunning(server).businesses };
    const businesses = (previousRows?.get(name) ?? []).filter((slug) => !slugsOfRunning.has(slug));
    cli.note(
      `The server ${name} does not respond (${failures.join("; ")}): the map keeps its ${countOf(businesses.length, "row")}.`,
    );
    return { name, addresses, businesses };
  });
}

/** @throws AppError state_refuses for a server that neither responds nor is in the previous map */
function assertKnown(asked: readonly AskedServer[], previousRows: Map<string, string[]>): void {
  const unknown = asked.find(
    ({ name, running, needsToken }) =>
      running.length === 0 && !needsToken && !previousRows.has(name),
  );
  if (unknown === undefined) return;
  const { name, failures } = unknown;
  throw new AppError(
    "state_refuses",
    `The server ${name} does not respond, and the map of --previous does not have it: ${failures.join("; ")}.`,
    { fix: "name the map that the proxy has; if the server is new, remove its line until it runs" },
  );
}
