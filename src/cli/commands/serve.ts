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
    logFormat: choice(["auto", "json", "pretty"], "of the log on stderr (auto: JSON unless it is a terminal)"),
  },
  examples: ["serve", "serve --host 0.0.0.0 --port 8080 --data-dir /var/lib/deskbell"],
  async run(cli, { host = "127.0.0.1", port = DEFAULT_PORT, allowHttp, allowPrivate, logFormat }) {
    const [{ startDaemon }, { untilStopped }] = await Promise.all([
      import("../daemon.ts"),
      import("../stop-signal.ts"),
    ]);
    const stopped = untilStopped();
    const config = cli.config({
      logFormat,
      allowHttp: allowHttp || undefined,
      allowPrivate: allowPrivate.length > 0 ? allowPrivate : undefined,
    });
    const daemon = await startDaemon(config, { host, port });
    daemon.log("info", "serving", { url: daemon.url, data: config.dataDir });
    const reason = await Promise.race([stopped, daemon.courierDied]);
    daemon.log("info", "stopping", { reason });
    await daemon.stop();
    return reason === "courier died" ? EXIT.failure : EXIT.ok;
  },
});
