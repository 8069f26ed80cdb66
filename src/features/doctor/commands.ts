import { statSync } from "node:fs";
import type { CheckResult } from "../../domain/conditions/registry.ts";
import { errorInWords } from "../../domain/errors.ts";
import type { Cli } from "../../cli/cli.ts";
import { command } from "../../cli/command.ts";
import { reportChecks } from "../../cli/output/checks.ts";
import { severityFlag } from "../../cli/commands/status.ts";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import type { DaemonResponse } from "./checks.ts";

export const definition = command({
  flags: { severity: severityFlag },
  examples: ["doctor", "doctor --json", "doctor --severity critical"],
  run: async (cli, { severity }) => reportChecks(cli, await checkServer(cli), severity),
});

async function checkServer(cli: Cli): Promise<AsyncIterable<CheckResult>> {
  const config = cli.configWithData();
  if (statSync(config.databasePath).size > LONG_READ_BYTES)
    cli.note("reading the whole database …");
  const { runDoctor } = await import("./run-doctor.ts");
  return runDoctor(config, { open: () => cli.open(), askDaemon: probeDaemon });
}

/** Checking a database larger than this takes more than a second. */
const LONG_READ_BYTES = 200_000_000;

const RESPONSE_TIMEOUT_MS = 3000;

/**
 * Requests /readyz of the local daemon. The certificate is not verified: it names another host, and
 * the request contains no secret.
 */
export const probeDaemon = (url: string): Promise<DaemonResponse> =>
  new Promise((resolve) => {
    const send = url.startsWith("https:") ? requestTls : request;
    const outgoing = send(`${url}/readyz`, {
      rejectUnauthorized: false,
      agent: false,
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    } as Parameters<typeof requestTls>[1]);
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      resolve({
        reason:
          error.name === "TimeoutError" || error.name === "AbortError"
            ? `no response within ${RESPONSE_TIMEOUT_MS / 1000} s`
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
