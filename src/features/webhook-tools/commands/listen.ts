import { readStdin } from "../../../platform/limited-read.ts";
import { readApiKey } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { ADDITIONAL_EVENT_TYPES, EVENT_TYPES } from "../../../domain/events/event-types.ts";
import { safe } from "../../../domain/text.ts";
import type { Outcome } from "../../../domain/webhooks/settle.ts";
import { readTextFile } from "../../../cli/input/catalog-files.ts";
import type { FeedEvent, FeedStart } from "../follow-feed.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { EXIT, usageError } from "../../../cli/failure.ts";
import { withEnvironment, requiredText, text, texts } from "../../../cli/flags.ts";

const API = "http://127.0.0.1:4100";
const OLDEST = "oldest";

const listen = command({
  name: "listen",
  about:
    "For partners: forward each event once to a local URL, signed like a webhook, without an open port. " +
    "Needs an API key with webhooks.read in --key-file or $DESKBELL_API_KEY.",
  flags: {
    forwardTo: requiredText("url", "URL to forward to, such as http://localhost:3000/hook"),
    event: texts(
      "type",
      `forward only this event type (repeatable; default: all, which leaves out ${ADDITIONAL_EVENT_TYPES.join(", ")})`,
    ),
    api: withEnvironment("DESKBELL_API", text("url", `URL of deskbell (default ${API})`)),
    keyFile: text("file", "file with the API key; - reads stdin"),
    secretFile: text("file", "file with the signing secret; without it, a new one is printed"),
    after: text(
      "cursor",
      `start after this cursor, or with the '${OLDEST}' stored event (default: only new events)`,
    ),
  },
  examples: [
    "webhooks listen --business salon-aurora --forward-to http://localhost:3000/hook --key-file site.key",
    "webhooks listen --business salon-aurora --forward-to http://localhost:3000/hook --api https://api.example.com --after oldest",
  ],
  async run(cli, { forwardTo, event, api = API, keyFile, secretFile, after }) {
    const { business } = cli.flags;
    if (!business)
      throw usageError("Missing --business, whose events are forwarded.", "add --business SLUG");
    const types = readEventTypes(event);
    const target = parseUrl("--forward-to", forwardTo).href;
    const feed = {
      api: parseUrl("--api", api).href.replace(/\/+$/, ""),
      business,
      key: await readKey(cli, keyFile),
      types,
    };
    const secret = await signingSecret(cli, secretFile);
    const [{ createForwarder, followFeed }, { untilStopped }] = await Promise.all([
      import("../follow-feed.ts"),
      import("../../../cli/running/stop-signal.ts"),
    ]);
    const stop = new AbortController();
    void untilStopped().then(() => stop.abort());
    await using forwarder = createForwarder(target, secret);
    const start: FeedStart = after === undefined ? "now" : after === OLDEST ? OLDEST : { after };

    const end: End = { accepted: 0, failed: 0, cursor: after };
    let isFirstPage = true;
    try {
      for await (const page of followFeed(feed, start, stop.signal, (line) => cli.note(line))) {
        if (isFirstPage)
          cli.note(`forwarding the events of ${business} from ${feed.api} to ${target}`);
        isFirstPage = false;
        let sent = 0;
        for (const [i, event] of page.events.entries()) {
          if (stop.signal.aborted) break;
          const { outcome, isAccepted, durationMs } = await forwarder.forward(
            event,
            page.sequences[i] as number,
          );
          if (isAccepted) end.accepted += 1;
          else end.failed += 1;
          print(cli, event, outcome, durationMs);
          sent += 1;
        }
        // An interrupted page keeps the old cursor: its events may be sent twice, but none is lost.
        if (sent === page.events.length) end.cursor = page.cursor;
      }
    } catch (error) {
      // The end is not printed if the first request fails: nothing was forwarded, and the server
      // may have refused the cursor.
      if (!isFirstPage) printEnd(cli, end, !isCursorExpired(error));
      throw error;
    }
    printEnd(cli, end);
    return end.failed > 0 ? EXIT.someFailed : EXIT.ok;
  },
});

/**
 * The numbers of events that the receiver accepted and failed to accept, and the cursor after the
 * last page whose events were all sent.
 */
type End = { accepted: number; failed: number; cursor: string | undefined };

/** @param canContinue whether another run can start after the cursor */
function printEnd(cli: Cli, { accepted, failed, cursor }: End, canContinue = true): void {
  if (cli.flags.json) cli.printJson({ accepted, failed, cursor: cursor ?? null }, 0);
  const hint =
    canContinue && cursor !== undefined ? ` To continue from here: --after ${cursor}` : "";
  cli.note(`${accepted} accepted, ${failed} failed.${hint}`);
}

const isCursorExpired = (error: unknown): boolean =>
  error instanceof AppError && error.code === "cursor_expired";

function print(cli: Cli, { id, type }: FeedEvent, outcome: Outcome, durationMs: number): void {
  const [statusCode, error] =
    outcome.kind === "responded" ? [outcome.statusCode, null] : [null, outcome.error];
  if (cli.flags.json)
    return cli.printJson({ eventId: id, eventType: type, statusCode, error, durationMs }, 0);
  cli.io.stdout.write(
    `${statusCode ?? outcome.kind}  ${safe(type, 60)}  ${safe(id, 60)}  ${durationMs} ms${error === null ? "" : `  ${safe(error)}`}\n`,
  );
}

/**
 * Returns the event types to request. An empty list requests all types that the feed has by
 * default. The function checks only the form of a type, because a server of another version may
 * know other types.
 */
function readEventTypes(given: readonly string[]): readonly string[] {
  for (const type of given)
    if (type !== "all" && !/^[a-z_]+\.[a-z_]+$/.test(type))
      throw usageError(
        `Invalid --event '${safe(type, 60)}': use an event type, or all.`,
        "use a type such as --event booking.cancelled",
      );
  if (!given.includes("all")) return given;
  const named = given.filter((type) => type !== "all");
  return named.length === 0 ? [] : [...EVENT_TYPES, ...named];
}

function parseUrl(option: string, given: string): URL {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "")
    return url;
  throw usageError(
    `Invalid ${option} '${given}': use an http or https URL without a password.`,
    `use a URL such as ${option} http://localhost:3000/hook`,
  );
}

async function readKey({ io }: Cli, file: string | undefined): Promise<string> {
  const text =
    file === undefined
      ? readApiKey()
      : file === "-"
        ? (await readStdin(io.stdin)).toString()
        : readTextFile(file);
  const key = text?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError(
    key === ""
      ? "The API key is missing."
      : "Invalid API key: it contains spaces or other characters.",
    "add --key-file FILE (- for stdin), or set DESKBELL_API_KEY",
  );
}

/**
 * Returns the signing secret in `file`. If no file is given, the function creates a secret and
 * prints it, so that the receiver can use it.
 */
async function signingSecret(cli: Cli, file: string | undefined): Promise<string> {
  if (file !== undefined) {
    const secret = readTextFile(file).trim();
    if (/^whsec_[\w+/=]+$/.test(secret)) return secret;
    throw new AppError(
      "invalid_input",
      `${file} contains no signing secret: it must begin with whsec_.`,
    );
  }
  const [{ generateSecret }, { systemRandom }] = await Promise.all([
    import("../../../domain/webhooks/webhook-post.ts"),
    import("../../../app/runtime.ts"),
  ]);
  const secret = generateSecret(systemRandom);
  if (cli.flags.json) cli.printJson({ secret }, 0);
  else cli.io.stdout.write(`signing secret  ${secret}\n`);
  return secret;
}

export const subcommands = [listen];
