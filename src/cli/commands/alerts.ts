import { setTimeout as delay } from "node:timers/promises";
import type { ListedAlert } from "../../app/alerts/list-alerts.ts";
import type { ChannelResult } from "../../app/alerts/test-alert.ts";
import type { AlertConfig } from "../../config.ts";
import { shownStatus } from "../../domain/conditions/alert-formats.ts";
import { AppError } from "../../domain/errors.ts";
import { ALERT_FLAGS } from "../alert-flags.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { EXIT } from "../failure.ts";
import { shortTime } from "../output/table.ts";

const list = command({
  name: "list",
  about: "List the alerts that are firing, and the notices and resolved alerts of the last week.",
  examples: ["alerts list", "alerts list --json"],
  async run(cli) {
    const rt = await cli.open();
    const { listAlerts } = await import("../../app/alerts/list-alerts.ts");
    cli.printList<ListedAlert>(
      listAlerts(rt),
      [
        { title: "STATUS", value: shownStatus },
        "severity",
        "code",
        { title: "SINCE", value: ({ since }) => shortTime(since), noTruncate: true },
        { title: "LAST ALERT", value: ({ at }) => shortTime(at), noTruncate: true },
        { title: "WAITING FOR", value: ({ waitingFor }) => waitingFor.join(", "), optional: true },
        "message",
      ],
      "No alerts.",
    );
  },
});

const test = command({
  name: "test",
  about:
    "Send a test alert through each channel of the running daemon, or of the flags, and print the results. Exits with 6 if one failed.",
  flags: ALERT_FLAGS,
  examples: [
    "alerts test",
    "alerts test --alert-url https://hooks.slack.com/services/T0/B0/x",
    "alerts test --alert-mail ada@example.com --smtp-url-file /etc/deskbell/smtp-url",
  ],
  async run(cli, flags) {
    const { allowPlaintext, ...channels } = flags;
    const isGiven = Object.values(channels).some((value) => value !== undefined);
    const results = isGiven
      ? await sendFrom(
          cli.config({ ...channels, allowPlaintext: allowPlaintext || undefined }).alerts,
        )
      : ((await askDaemon(cli)) ?? (await sendFrom(cli.config().alerts)));
    if (results.length === 0)
      throw new AppError("state_refuses", "No channel for alerts is configured.", {
        fix: "deskbell serve --alert-url URL, or deskbell alerts test --alert-url URL",
      });
    cli.printList<ChannelResult>(
      results,
      ["channel", { title: "RESULT", value: ({ error }) => error ?? "sent", noTruncate: true }],
      "",
    );
    return results.some(({ error }) => error !== null) ? EXIT.someFailed : EXIT.ok;
  },
});

async function sendFrom(config: AlertConfig): Promise<ChannelResult[]> {
  const [{ createAlertChannels }, { sendTestAlert }, { wallClock }] = await Promise.all([
    import("../../delivery/alert-channels.ts"),
    import("../../app/alerts/test-alert.ts"),
    import("../../app/runtime.ts"),
  ]);
  const { channels, heartbeat, close } = createAlertChannels(config);
  try {
    const all = heartbeat ? [...channels, heartbeat] : channels;
    return await sendTestAlert(wallClock(), all);
  } finally {
    await close();
  }
}

const POLL_MS = 200;
/** A channel may take 10 s to connect and as long to respond. */
const MAX_WAIT_MS = 40_000;

/** Returns undefined if no daemon is running. */
async function askDaemon(cli: Cli): Promise<ChannelResult[] | undefined> {
  const rt = await cli.open();
  const { isDaemonRunning } = await import("../../store/database.ts");
  if (!isDaemonRunning(rt.config.databasePath)) return undefined;
  const { requestTest, takeTestResults } = await import("../../app/alerts/test-alert.ts");
  const key = requestTest(rt);
  for (const startedAt = rt.monotonic(); rt.monotonic() - startedAt < MAX_WAIT_MS;) {
    await delay(POLL_MS);
    const results = takeTestResults(rt, key);
    if (results !== undefined) return results;
  }
  throw new AppError("state_refuses", "The daemon did not send a test alert.", {
    fix: "deskbell doctor",
  });
}

export const definition = [list, test];
