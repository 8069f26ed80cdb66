import { text as readAll } from "node:stream/consumers";
import { readApiKey } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/safe-text.ts";
import type { Outcome } from "../../domain/webhooks/outcome.ts";
import { readText } from "../input/catalog-files.ts";
import type { FeedEvent, FeedStart } from "../listen/change-feed.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withEnvironment, requiredText, text } from "../flags.ts";

const API = "http://127.0.0.1:4100";
const OLDEST = "oldest";

export const listen = command({
  name: "listen",
  about:
    "The partner's side without an open port: forward each event to a URL of your own, once, signed like a webhook. " +
    "The API key (webhooks.read) comes from --key-file or $DESKBELL_API_KEY.",
  flags: {
    forwardTo: requiredText("url", "where the events go, such as http://localhost:3000/hook"),
    api: withEnvironment("DESKBELL_API", text("url", `where deskbell answers (${API})`)),
    keyFile: text("file", "holds the API key; - reads stdin"),
    secretFile: text("file", "holds the signing secret; without it one is made and printed"),
    after: text(
      "cursor",
      `begin after it; '${OLDEST}': with all that is kept (with what happens from now on)`,
    ),
  },
  examples: [
    "webhooks listen --business salon-aurora --forward-to http://localhost:3000/hook --key-file site.key",
    "webhooks listen --business salon-aurora --forward-to http://localhost:3000/hook --api https://api.example.com --after oldest",
  ],
  async run(cli, { forwardTo, api = API, keyFile, secretFile, after }) {
    const { business } = cli.flags;
    if (!business)
      throw new AppError("usage", "It was not said whose events to listen to.", {
        fix: "add --business <slug>",
      });
    const target = requireUrl("--forward-to", forwardTo).href;
    const feed = {
      api: requireUrl("--api", api).href.replace(/\/+$/, ""),
      business,
      key: await readKey(cli, keyFile),
    };
    const secret = await signingSecret(cli, secretFile);
    const [{ followFeed }, { createForwarder }, { untilStopped }] = await Promise.all([
      import("../listen/change-feed.ts"),
      import("../listen/forwarder.ts"),
      import("../running/stop-signal.ts"),
    ]);
    const over = new AbortController();
    void untilStopped().then(() => over.abort());
    await using forwarder = createForwarder(target, secret);
    const start: FeedStart = after === undefined ? "now" : after === OLDEST ? OLDEST : { after };

    let [taken, failed, cursor] = [0, 0, after];
    let isToBeSaid = true;
    for await (const page of followFeed(feed, start, over.signal, (text) => cli.note(safe(text)))) {
      if (isToBeSaid)
        cli.note(
          `forwarding the events of ${safe(business)} from ${safe(feed.api)} to ${safe(target)}`,
        );
      isToBeSaid = false;
      let sent = 0;
      for (const event of page.events) {
        if (over.signal.aborted) break;
        const { outcome, isTaken, durationMs } = await forwarder.forward(event);
        if (isTaken) taken += 1;
        else failed += 1;
        print(cli, event, outcome, durationMs);
        sent += 1;
      }
      // Of a page that was broken off some events come twice.
      if (sent === page.events.length) cursor = page.cursor;
    }
    if (cli.flags.json)
      cli.io.stdout.write(`${JSON.stringify({ taken, failed, cursor: cursor ?? null })}\n`);
    cli.note(
      `${taken} taken, ${failed} not.${cursor === undefined ? "" : ` To go on from here: --after ${safe(cursor)}`}`,
    );
    return failed > 0 ? EXIT.someFailed : EXIT.ok;
  },
});

function print(cli: Cli, { id, type }: FeedEvent, outcome: Outcome, durationMs: number): void {
  const [statusCode, error] =
    outcome.kind === "responded" ? [outcome.statusCode, null] : [null, outcome.error];
  const line = cli.flags.json
    ? JSON.stringify({ eventId: id, eventType: type, statusCode, error, durationMs })
    : `${statusCode ?? outcome.kind}  ${safe(type, 60)}  ${safe(id, 60)}  ${durationMs} ms${error === null ? "" : `  ${safe(error)}`}`;
  cli.io.stdout.write(`${line}\n`);
}

function requireUrl(option: string, given: string): URL {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "")
    return url;
  throw new AppError(
    "usage",
    `${option} must be an http or https URL without a password, not '${given}'.`,
    {
      fix: `write it in full, such as ${option} http://localhost:3000/hook`,
    },
  );
}

async function readKey({ io }: Cli, file: string | undefined): Promise<string> {
  const text =
    file === undefined ? readApiKey() : file === "-" ? await readAll(io.stdin) : readText(file);
  const key = text?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new AppError(
    "usage",
    key === "" ? "There is no API key." : "That is no API key: it is one word.",
    {
      fix: "--key-file FILE, --key-file - for stdin, or DESKBELL_API_KEY in the environment",
    },
  );
}

/** One from a file, or a new one, which is printed: whoever takes the events must know it. */
async function signingSecret(cli: Cli, file: string | undefined): Promise<string> {
  if (file !== undefined) {
    const secret = readText(file).trim();
    if (/^whsec_[\w+/=]+$/.test(secret)) return secret;
    throw new AppError("invalid_input", `${file} holds no signing secret: it begins with whsec_.`);
  }
  const [{ generateSecret }, { systemRandom }] = await Promise.all([
    import("../../domain/webhooks/signature.ts"),
    import("../../app/runtime.ts"),
  ]);
  const secret = generateSecret(systemRandom);
  cli.io.stdout.write(
    cli.flags.json ? `${JSON.stringify({ secret })}\n` : `signing secret  ${secret}\n`,
  );
  return secret;
}
