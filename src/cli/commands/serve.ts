import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { choice, integer, orEnvironment, text, texts, toggle } from "../flags.ts";

const DEFAULT_PORT = 4100;

export const serve = command({
  name: "serve",
  about: "Run the daemon: the HTTP API, and the courier that delivers webhooks.",
  flags: {
    host: orEnvironment("DESKBELL_HOST", text("address", "where to listen (127.0.0.1)")),
    port: orEnvironment("DESKBELL_PORT", integer(0, 65_535, `0: any free one (${DEFAULT_PORT})`)),
    allowHttp: toggle("lab only: webhooks may go to http URLs"),
    allowPrivate: texts("cidr", "lab only: webhooks may go to these private addresses, once for each"),
    alertUrl: text("url", "told what goes wrong, as JSON: a Slack, Mattermost or ntfy URL"),
    publicUrl: text("url", "where partners reach the API, when a proxy stands before it"),
    trustedProxy: texts("cidr", "believe X-Forwarded-For of these proxies, once for each"),
    metricsTokenFile: text("file", "holds the bearer token that opens /metrics to other machines"),
    accessLog: toggle("log a line for each request"),
    logFormat: choice(["auto", "json", "pretty"], "of the log on stderr (auto: JSON unless it is a terminal)"),
  },
  examples: ["serve", "serve --host 0.0.0.0 --port 8080 --data-dir /var/lib/deskbell"],
  async run(cli, { host = "127.0.0.1", port = DEFAULT_PORT, ...flags }) {
    const [{ startDaemon }, { untilStopped }] = await Promise.all([
      import("../daemon.ts"),
      import("../stop-signal.ts"),
    ]);
    const stopped = untilStopped();
    const config = cli.config({
      ...flags,
      allowHttp: flags.allowHttp || undefined,
      allowPrivate: givenOrNot(flags.allowPrivate),
      trustedProxies: givenOrNot(flags.trustedProxy),
      accessLog: flags.accessLog || undefined,
    });
    const daemon = await startDaemon(config, { host, port });
    daemon.log("info", "serving", { url: daemon.url, data: config.dataDir });
    const reason = await Promise.race([stopped, daemon.courierDied]);
    daemon.log("info", "stopping", { reason });
    await daemon.stop();
    return reason === "courier died" ? EXIT.failure : EXIT.ok;
  },
});

/** None given: the environment has the say. */
const givenOrNot = (values: string[]): string[] | undefined => (values.length > 0 ? values : undefined);
