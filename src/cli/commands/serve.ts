import { AppError } from "../../domain/errors.ts";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { choice, integer, withEnvironment, text, texts, toggle } from "../flags.ts";

const DEFAULT_PORT = 4100;

export const serve = command({
  name: "serve",
  about: "Run the daemon: the HTTP API, and the courier that delivers webhooks.",
  flags: {
    host: withEnvironment("DESKBELL_HOST", text("address", "where to listen (127.0.0.1)")),
    port: withEnvironment("DESKBELL_PORT", integer(0, 65_535, `0: any free one (${DEFAULT_PORT})`)),
    tlsCert: withEnvironment(
      "DESKBELL_TLS_CERT",
      text(
        "file",
        "serve https with this certificate (PEM, its chain after it); SIGHUP reads it again",
      ),
    ),
    tlsKey: withEnvironment(
      "DESKBELL_TLS_KEY",
      text("file", "the certificate's private key (PEM)"),
    ),
    allowHttp: toggle("lab only: webhooks may go to http URLs"),
    allowPrivate: texts(
      "cidr",
      "lab only: webhooks may go to these private addresses, once for each",
    ),
    alertUrl: text("url", "told what goes wrong, as JSON: a Slack, Mattermost or ntfy URL"),
    publicUrl: text("url", "where partners reach the API, when a proxy stands before it"),
    trustedProxy: texts("cidr", "believe X-Forwarded-For of these proxies, once for each"),
    metricsTokenFile: text("file", "holds the bearer token that opens /metrics to other machines"),
    accessLog: toggle("log a line for each request"),
    logFormat: choice(
      ["auto", "json", "pretty"],
      "of the log on stderr (auto: JSON unless it is a terminal)",
    ),
  },
  examples: [
    "serve",
    "serve --host 0.0.0.0 --port 443 --tls-cert /etc/deskbell/chain.pem --tls-key /etc/deskbell/key.pem",
  ],
  async run(cli, { host = "127.0.0.1", port = DEFAULT_PORT, tlsCert, tlsKey, ...flags }) {
    const tls = tlsFiles(tlsCert, tlsKey);
    const [{ startDaemon }, { untilStopped }] = await Promise.all([
      import("../running/daemon.ts"),
      import("../running/stop-signal.ts"),
    ]);
    // As servers do: with a certificate a hang-up asks for the new one. From the first moment on, when it would still be the end.
    let renew = (): void => {};
    if (tls) process.on("SIGHUP", () => renew());
    const stopped = untilStopped(tls && ["SIGINT", "SIGTERM"]);
    const config = cli.config({
      ...flags,
      allowHttp: flags.allowHttp || undefined,
      allowPrivate: givenOrNot(flags.allowPrivate),
      trustedProxies: givenOrNot(flags.trustedProxy),
      accessLog: flags.accessLog || undefined,
    });
    const daemon = await startDaemon(config, { host, port, tls });
    renew = daemon.renewCertificate;
    daemon.log("info", "serving", {
      url: daemon.url,
      docs: `${daemon.url}/docs`,
      data: config.dataDir,
    });
    const reason = await Promise.race([stopped, daemon.workerDied]);
    daemon.log("info", "stopping", { reason });
    await daemon.stop();
    return reason === "courier died" ? EXIT.failure : EXIT.ok;
  },
});

function tlsFiles(
  cert: string | undefined,
  key: string | undefined,
): { cert: string; key: string } | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === key) return undefined;
  throw new AppError(
    "usage",
    `A certificate and its key go together: ${cert ? "--tls-key" : "--tls-cert"} is missing.`,
    {
      fix: "deskbell serve --tls-cert FILE --tls-key FILE",
    },
  );
}

/** None given: the environment has the say. */
const givenOrNot = (values: string[]): string[] | undefined =>
  values.length > 0 ? values : undefined;
