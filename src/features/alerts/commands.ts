import { setTimeout as delay } from "node:timers/promises";
import type { ListedAlert } from "./list-alerts.ts";
import type { ChannelResult, OperatorMessage } from "./test-alert.ts";
import type { AlertConfig, Config } from "../../config.ts";
import { shownStatus } from "./rules/formats.ts";
import { SEVERITIES } from "../../domain/conditions/registry.ts";
import { AppError } from "../../domain/errors.ts";
import { safe, shellQuote } from "../../domain/text.ts";
import { ALERT_FLAGS } from "../../cli/alert-flags.ts";
import type { Cli } from "../../cli/cli.ts";
import { command } from "../../cli/command.ts";
import { EXIT, usageError } from "../../cli/failure.ts";
import { choice, toggle } from "../../cli/flags.ts";
import { shortTime } from "../../cli/output/table.ts";

const list = command({
  name: "list",
  about: "List the alerts that are firing, and the notices and resolved alerts of the last week.",
  examples: ["alerts list", "alerts list --json"],
  async run(cli) {
    const rt = await cli.open();
    const { listAlerts } = await import("./list-alerts.ts");
    cli.printList<ListedAlert>(
      listAlerts(rt),
      [
        { title: "STATUS", value: shownStatus },
        "severity",
        "code",
        { title: "SINCE", value: ({ since }) => shortTime(since), noTruncate: true },
        { title: "LAST ALERT", value: ({ at }) => shortTime(at), noTruncate: true },
        { title: "CLEAR SINCE", value: ({ clearSince }) => shortTime(clearSince), optional: true },
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
    // A toggle that is not given must not override the environment, so false becomes undefined.
    const { allowPlaintext, ...channels } = flags;
    const isGiven = Object.values(channels).some((value) => value !== undefined);
    const results = isGiven
      ? await sendThrough(
          cli.config({ ...channels, allowPlaintext: allowPlaintext || undefined }).alerts,
        )
      : ((await askDaemon(cli, cli.configWithData())) ?? (await sendThrough(cli.config().alerts)));
    if (results.length === 0) throw noChannelError("deskbell alerts test --alert-url URL");
    return printResults(cli, results);
  },
});

const send = command({
  name: "send",
  about:
    "Send an alert with a text of your own, for scripts and for ExecStopPost of systemd, through the channels of the flags, of the environment, or else of the running daemon. Exits with 6 if a channel failed.",
  arguments: ["[text]"],
  flags: {
    severity: choice(SEVERITIES, "severity of the alert (default warning)"),
    serviceFailure: toggle(
      "instead of a text: send an alert if systemd says that the service has failed, at most once an hour",
    ),
    ...ALERT_FLAGS,
  },
  examples: [
    "alerts send 'The backup disk is full.'",
    "alerts send 'The till does not answer.' --severity critical --alert-url https://ntfy.sh/my-topic",
  ],
  async run(cli, { severity = "warning", serviceFailure, allowPlaintext, ...flags }, text) {
    const isTextMissing = text === undefined;
    if (isTextMissing !== serviceFailure || text?.trim() === "")
      throw usageError("Give either a text or --service-failure.", "deskbell alerts send 'TEXT'");
    const config = cli.config({ ...flags, allowPlaintext: allowPlaintext || undefined });
    const { hasAlertChannel, readServiceFailure } = await import("../../config.ts");
    if (text === undefined)
      return printResults(cli, await sendServiceFailure(config, readServiceFailure()));
    const message = { text: safe(text, MAX_TEXT_LENGTH), severity };
    const results = hasAlertChannel(config.alerts)
      ? await sendThrough(config.alerts, message)
      : ((await askDaemon(cli, config, message)) ?? []);
    if (results.length === 0)
      throw noChannelError(`deskbell alerts send ${shellQuote(text)} --alert-url URL`);
    return printResults(cli, results);
  },
});

/** @param failure undefined if systemd reports no failure */
async function sendServiceFailure(
  config: Config,
  failure: string | undefined,
): Promise<ChannelResult[]> {
  if (failure === undefined) return [];
  const { sendFailureAlert } = await import("./failure-alert.ts");
  return sendFailureAlert(config, {
    message: `the service of the daemon has failed: ${failure}`,
    fix: "journalctl --unit deskbell",
    isUnexplained: true,
  });
}

const MAX_TEXT_LENGTH = 1000;

/**
 * @param command the same command with a channel, such as `deskbell alerts test --alert-url URL`
 */
const noChannelError = (command: string): AppError =>
  new AppError("state_refuses", "No channel for alerts is configured.", {
    fix: `deskbell serve --alert-url URL, or ${command}`,
  });

function printResults(cli: Cli, results: readonly ChannelResult[]): number {
  cli.printList<ChannelResult>(
    results,
    ["channel", { title: "RESULT", value: ({ error }) => error ?? "sent", noTruncate: true }],
    "Nothing was sent.",
  );
  return results.some(({ error }) => error !== null) ? EXIT.someFailed : EXIT.ok;
}

/** Sends a message, or a test alert if there is none. */
async function sendThrough(
  config: AlertConfig,
  message?: OperatorMessage,
): Promise<ChannelResult[]> {
  const [{ createAlertChannels }, { sendTest }, { wallClock }] = await Promise.all([
    import("./channels.ts"),
    import("./test-alert.ts"),
    import("../../app/runtime.ts"),
  ]);
  const channels = createAlertChannels(config);
  try {
    return await sendTest(channels, wallClock(), message);
  } finally {
    await channels.close();
  }
}

const POLL_MS = 200;
/** The longest time that a channel takes: 10 s to connect, a minute to respond, and a reserve. */
const MAX_WAIT_MS = 80_000;

/** Asks the daemon to send the alert. @returns undefined if no daemon is running */
async function askDaemon(
  cli: Cli,
  { databasePath }: Config,
  message?: OperatorMessage,
): Promise<ChannelResult[] | undefined> {
  const { isDaemonRunning } = await import("../../store/database/database.ts");
  if (!isDaemonRunning(databasePath)) return undefined;
  const rt = await cli.open();
  const { requestTest, takeTestResults } = await import("./test-alert.ts");
  const key = requestTest(rt, message);
  for (const startedAt = rt.monotonic(); rt.monotonic() - startedAt < MAX_WAIT_MS;) {
    await delay(POLL_MS);
    const results = takeTestResults(rt, key);
    if (results !== undefined) return results;
  }
  throw new AppError(
    "state_refuses",
    `The daemon did not send the ${message ? "alert" : "test alert"}.`,
    {
      fix: "deskbell doctor",
    },
  );
}

export const definition = [list, test, send];
