import { statSync } from "node:fs";
import { type Check, type Finding, isAtLeast } from "../../domain/conditions/registry.ts";
import { errorInWords } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";
import type { Cli } from "../../cli/cli.ts";
import { command } from "../../cli/command.ts";
import { EXIT, insertProgramName, usageError } from "../../cli/failure.ts";
import { type Column, toTsv } from "../../cli/output/table.ts";
import { text, withEnvironment } from "../../cli/flags.ts";
import { tlsFiles } from "../../cli/commands/serve.ts";
import { severityFlag } from "../../cli/commands/status.ts";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import type { DaemonResponse } from "./checks.ts";

export const definition = command({
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
  examples: [
    "doctor",
    "doctor --json",
    "doctor --severity critical",
    "doctor --standby /mnt/nas/deskbell --servers servers.txt",
  ],
  async run(cli, { severity = "info", standby, servers, tlsCert, tlsKey }) {
    if (servers !== undefined && standby === undefined)
      throw usageError("--servers needs --standby.", "deskbell doctor --help");
    const checks: Check[] = [];
    const running =
      standby === undefined
        ? await checkServer(cli)
        : (await import("../../cli/commands/doctor-standby.ts")).checkStandby(cli.config(), {
            dir: standby,
            servers,
            tls: tlsFiles(tlsCert, tlsKey),
          });
    for await (const check of running) {
      const findings = check.findings.filter((finding) =>
        isAtLeast(finding.severity ?? "warning", severity),
      );
      checks.push({ ...check, findings });
      if (!cli.flags.json) print(cli, { ...check, findings });
    }
    if (cli.flags.json) cli.printObject({ checks });
    const needsFixing = checks.some(({ findings }) => findings.some(({ isAdvice }) => !isAdvice));
    return needsFixing ? EXIT.someFailed : EXIT.ok;
  },
});

async function checkServer(cli: Cli): Promise<AsyncIterable<Check>> {
  const config = cli.configWithData();
  if (statSync(config.databasePath).size > LONG_READ_BYTES)
    cli.note("reading the whole database …");
  const { runDoctor } = await import("./run-doctor.ts");
  return runDoctor(config, { open: () => cli.open(), askDaemon: probeDaemon });
}

/** Checking a larger database takes longer than a second. */
const LONG_READ_BYTES = 200_000_000;

type Row = { about: string; state: string; text: string; fix: string };

const COLUMNS: Column<Row>[] = ["about", "state", "text", "fix"];

const stateOf = ({ isAdvice }: Finding): string => (isAdvice ? "advice" : "wrong");

function print(cli: Cli, { about, summary, findings }: Check): void {
  const { stdout } = cli.io;
  const inWords = findings.map((finding) => ({
    ...finding,
    fix: insertProgramName(finding.fix, cli.program),
  }));
  if (stdout.isTTY) {
    if (findings.length === 0)
      stdout.write(`${cli.paint("green", "✓")} ${about.padEnd(9)} ${safe(summary)}\n`);
    for (const finding of inWords)
      stdout.write(
        `${finding.isAdvice ? "!" : cli.paint("red", "✗")} ${about.padEnd(9)} ${safe(finding.text, 1000)}\n  ${cli.paint("bold", safe(finding.fix, 1000))}\n`,
      );
    return;
  }
  const rows = inWords.map((finding) => ({ about, state: stateOf(finding), ...finding }));
  stdout.write(
    toTsv(rows.length > 0 ? rows : [{ about, state: "ok", text: summary, fix: "" }], COLUMNS),
  );
}

const TIMEOUT_MS = 3000;

/**
 * Requests /readyz of the local daemon. The certificate is not verified: it is for another host
 * name, and the request contains no secret.
 */
export const probeDaemon = (url: string): Promise<DaemonResponse> =>
  new Promise((resolve) => {
    const send = url.startsWith("https:") ? requestTls : request;
    const outgoing = send(`${url}/readyz`, {
      rejectUnauthorized: false,
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as Parameters<typeof requestTls>[1]);
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      resolve({
        reason:
          error.name === "TimeoutError" || error.name === "AbortError"
            ? `no response within ${TIMEOUT_MS / 1000} s`
            : errorInWords(error),
      }),
    );
    outgoing.on("response", (response) => {
      response.resume();
      const { statusCode, headers } = response;
      resolve(
        statusCode === 200
          ? { at: Date.parse(headers.date ?? "") }
          : { reason: `status ${statusCode}` },
      );
    });
    outgoing.end();
  });
