import { setTimeout as sleep } from "node:timers/promises";
import { readMetricsToken } from "../../app/operations/metrics-token.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Cli } from "../../cli/cli.ts";
import { command } from "../../cli/command.ts";
import { toggle } from "../../cli/flags.ts";
import { shortTime } from "../../cli/output/table.ts";
import { AppError, fetchErrorInWords } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";
import type { SeenRequest, SeenRequests } from "./request-schema.ts";

const WAIT_SECONDS = 20;
const PAUSE_AFTER_EMPTY_MS = 250;
/** The lowest HTTP status of an error. */
const FIRST_ERROR = 400;

const tail = command({
  name: "tail",
  about:
    "Print requests to the API as they happen, until Ctrl-C: route, key, status and reason, without queries, bodies and addresses.",
  flags: { failed: toggle("only requests that were refused or failed") },
  examples: ["requests tail", "requests tail --failed --json"],
  async run(cli, { failed }) {
    const rt = await cli.open();
    const { business } = cli.flags;
    // This call throws if the business is unknown.
    if (business !== undefined) cli.business(rt);
    const { untilStopped } = await import("../../cli/running/stop-signal.ts");
    const stop = new AbortController();
    void untilStopped().then(() => stop.abort());
    const isWanted = (request: SeenRequest) =>
      (business === undefined || request.business === business) &&
      (!failed || request.status >= FIRST_ERROR);
    const daemon = findDaemon(cli, rt);
    for await (const page of followRequests(daemon, stop.signal)) {
      if (page.missed > 0) cli.note(`${page.missed} requests are left out: there were too many.`);
      for (const request of page.requests.filter(isWanted)) printRequest(cli, request);
    }
  },
});

/** `needsPublicUrl` is set if the daemon has TLS, but no public URL that its certificate is for. */
type Daemon = { url: string; token: string; needsPublicUrl: boolean };

/** @throws AppError state_refuses if no daemon runs, or its token cannot be read */
function findDaemon(cli: Cli, rt: Runtime): Daemon {
  const daemon = rt.store.daemon.find();
  const config = cli.config();
  const token = config.http.metricsToken ?? readMetricsToken(config);
  if (daemon === undefined || token === null) throw noRequestsError("No server responds.");
  // The certificate of the daemon is for its public name, so a TLS connection needs the public URL.
  const isTls = daemon.url.startsWith("https:");
  const publicUrl = (isTls && daemon.publicUrl) || undefined;
  const needsPublicUrl = isTls && publicUrl === undefined;
  return { url: publicUrl ?? daemon.url, token, needsPublicUrl };
}

const noRequestsError = (message: string): AppError =>
  new AppError("state_refuses", message, { fix: "deskbell serve" });

/** Yields the requests from now on, until `stop` is aborted. */
async function* followRequests(daemon: Daemon, stop: AbortSignal): AsyncGenerator<SeenRequests> {
  /** The cursor of the last page; "" at first, for the requests from now on. */
  let after = "";
  while (!stop.aborted) {
    const page = await readRequests(daemon, after, stop);
    if (page === undefined) return;
    yield page;
    after = page.cursor;
    // The pause keeps this loop from spinning: a daemon that is shutting down answers immediately.
    if (page.requests.length === 0)
      await sleep(PAUSE_AFTER_EMPTY_MS, undefined, { signal: stop }).catch(() => {});
  }
}

/** Returns the requests after a cursor; undefined once `stop` is aborted. */
async function readRequests(
  { url, token, needsPublicUrl }: Daemon,
  after: string,
  stop: AbortSignal,
): Promise<SeenRequests | undefined> {
  const query = after === "" ? "" : `?wait=${WAIT_SECONDS}&after=${after}`;
  try {
    const response = await fetch(`${url}/metrics/requests${query}`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: "error",
      signal: stop,
    });
    if (!response.ok)
      throw noRequestsError(`The server at ${url} lists no requests: status ${response.status}.`);
    const { data } = (await response.json()) as { data: SeenRequests };
    return data;
  } catch (error) {
    if (stop.aborted) return undefined;
    if (error instanceof AppError) throw error;
    const reason = fetchErrorInWords(error);
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    if (needsPublicUrl && cause?.code === "ERR_TLS_CERT_ALTNAME_INVALID")
      throw new AppError("state_refuses", `The server at ${url} was not asked: ${reason}.`, {
        fix: "deskbell serve --public-url URL, with the host name of the certificate",
      });
    throw noRequestsError(`No server responds at ${url}: ${reason}.`);
  }
}

function printRequest(cli: Cli, request: SeenRequest): void {
  if (cli.flags.json) return cli.printJson(request, 0);
  const { at, method, route, business, key, status, code, durationMs } = request;
  const glyph = status < FIRST_ERROR ? cli.paint("green", "✓") : cli.paint("red", "✗");
  const parts = [business ?? "-", key?.name ?? "-", ...(code === null ? [] : [code])];
  cli.io.stdout.write(
    `${shortTime(at)} ${glyph} ${status} ${safe(`${method} ${route}`, 120)}  ${parts.map((part) => safe(part, 60)).join("  ")}  ${durationMs} ms\n`,
  );
}

export const definition = [tail];
