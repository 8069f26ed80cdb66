import { variant } from "../../../cli/command.ts";
import { reportChecks } from "../../../cli/output/checks.ts";
import { tlsFiles } from "../../../cli/commands/serve.ts";
import { severityFlag } from "../../../cli/commands/status.ts";
import { usageError } from "../../../cli/failure.ts";
import { text, withEnvironment } from "../../../cli/flags.ts";

const ofStandby = variant({
  flags: {
    severity: severityFlag,
    standby: text(
      "folder",
      "check instead whether this machine can take over with the backups that another one copies to this folder",
    ),
    servers: text("file", "with --standby: the servers file that the proxy's map is made from"),
    tlsCert: withEnvironment(
      "DESKBELL_TLS_CERT",
      text("file", "with --standby: the certificate that serve will use"),
    ),
    tlsKey: withEnvironment("DESKBELL_TLS_KEY", text("file", "with --standby: its private key")),
  },
  examples: ["doctor --standby /mnt/nas/deskbell --servers servers.txt"],
  isMeant: ({ standby, servers }) => standby !== undefined || servers !== undefined,
  async run(cli, { severity, standby, servers, tlsCert, tlsKey }) {
    if (standby === undefined)
      throw usageError("--servers needs --standby.", "deskbell doctor --help");
    const { checkStandby } = await import("./check-standby.ts");
    const tls = tlsFiles(tlsCert, tlsKey);
    return reportChecks(cli, checkStandby(cli.config(), { dir: standby, servers, tls }), severity);
  },
});

export const variants = [ofStandby];
