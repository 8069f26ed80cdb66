import { readMetricsToken } from "../../../app/operations/metrics-token.ts";
import { type ConfigFlags, readConfig } from "../../../config.ts";
import { fetchErrorInWords, AppError } from "../../../domain/errors.ts";
import { parseServers, type Server } from "../../../domain/servers-file.ts";
import { isLoopbackHost } from "../../../domain/addresses.ts";
import type { ServerStatus } from "../status-schema.ts";
import { readTextFile } from "../../../cli/input/catalog-files.ts";

export type AskedServer = Server & {
  /** The addresses that responded; two if both the server and its standby run. */
  running: { address: string; status: ServerStatus }[];
  /** Each address that did not respond, with the reason. */
  failures: string[];
  /** Whether an address responded that a token is missing or wrong. */
  needsToken: boolean;
};

const TIMEOUT_MS = 5000;

const NO_TOKEN = "it requires a token, which --metrics-token-file gives";
const OTHER_TOKEN = "it has another token";

/**
 * Asks every server of a servers file for its state, with the configured token.
 * @throws AppError invalid_input for an invalid file
 */
export function askServers(file: string, flags: ConfigFlags): Promise<AskedServer[]> {
  const config = readConfig(flags);
  // The token in the data folder is only for the daemon of this machine.
  const tokenFor = (address: string): string | null =>
    config.http.metricsToken ??
    (isLoopbackHost(new URL(address).host) ? readMetricsToken(config) : null);
  return Promise.all(
    parseServers(file, readTextFile(file)).map(async (server) => {
      const responses = await Promise.all(
        server.addresses.map(async (address) => ({
          address,
          status: await askServer(address, tokenFor(address)),
        })),
      );
      const asked: AskedServer = { ...server, running: [], failures: [], needsToken: false };
      for (const { address, status } of responses)
        if (typeof status === "string") {
          asked.failures.push(`${address}: ${status}`);
          asked.needsToken ||= status === NO_TOKEN || status === OTHER_TOKEN;
        } else asked.running.push({ address, status });
      return asked;
    }),
  );
}

/**
 * Returns the state of a server at which exactly one address responds.
 * @throws AppError state_refuses if no address responds, or if the standby responds too
 */
export function getRunning({ name, running, failures, needsToken }: AskedServer): ServerStatus {
  const [first, second] = running;
  if (first === undefined && needsToken)
    throw new AppError(
      "state_refuses",
      `The server ${name} requires its metrics token to list its businesses: ${failures.join("; ")}.`,
      {
        fix: "on that server, run deskbell metrics token > FILE, and add --metrics-token-file FILE here; if there are several servers, start each with serve --metrics-token-file and the same FILE",
      },
    );
  if (first === undefined)
    throw new AppError(
      "state_refuses",
      `The server ${name} does not respond: ${failures.join("; ")}.`,
      {
        fix: "keep its line, and add --previous with the map that the proxy has: its partners get 503 until it runs again, or its standby has taken over (deskbell guide more-than-one-machine)",
      },
    );
  if (second === undefined) return first.status;
  throw new AppError("state_refuses", bothRun({ name, running }), {
    fix: "stop the one that the other has taken over from: deskbell guide more-than-one-machine",
  });
}

export const bothRun = ({ name, running }: Pick<AskedServer, "name" | "running">): string =>
  `The server ${name} and its standby both run: ${running.map(({ address }) => address).join(", ")}.`;

/** @returns the state, or the reason why there is none */
async function askServer(address: string, token: string | null): Promise<ServerStatus | string> {
  try {
    // A redirect is not followed: it could send the token to another address.
    const response = await fetch(`${address}/metrics/status`, {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 401) return token === null ? NO_TOKEN : OTHER_TOKEN;
    if (response.status === 403) return "it could not create its token: see its log";
    if (response.status === 404) return "not found: is it an older deskbell?";
    if (!response.ok) return `status ${response.status}`;
    const { serverStatus } = await import("../status-schema.ts");
    const body = (await response.json()) as { data?: unknown } | null;
    return serverStatus.safeParse(body?.data).data ?? "not a response of deskbell";
  } catch (error) {
    if (error instanceof SyntaxError) return "not a response of deskbell";
    return fetchErrorInWords(error);
  }
}
