import { variant } from "../../../cli/command.ts";
import { severityFlag } from "../../../cli/commands/status.ts";
import { usageError } from "../../../cli/failure.ts";
import { text } from "../../../cli/flags.ts";
import { metricsTokenFlag } from "./metrics-token.ts";

const statusOfServers = variant({
  flags: {
    severity: severityFlag,
    servers: text(
      "file",
      "show all servers of this file (NAME http://HOST:PORT on each line) instead",
    ),
    metricsTokenFile: metricsTokenFlag,
  },
  examples: ["status --servers servers.txt"],
  isMeant: ({ servers, metricsTokenFile }) =>
    servers !== undefined || metricsTokenFile !== undefined,
  async run(cli, { severity = "info", servers, metricsTokenFile }) {
    if (servers === undefined)
      throw usageError("--metrics-token-file needs --servers.", "deskbell status --help");
    const { printServers } = await import("./print-servers.ts");
    return printServers(cli, servers, severity, metricsTokenFile);
  },
});

export const variants = [statusOfServers];
