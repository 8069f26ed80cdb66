import { readStdin } from "../../../platform/limited-read.ts";
import { safe } from "../../../domain/text.ts";
import { readTextFile } from "../../../cli/input/catalog-files.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { EXIT, usageError } from "../../../cli/failure.ts";
import { duration, integer, requiredText, text } from "../../../cli/flags.ts";

const RECEIVER_PORT = 4200;

const verify = command({
  name: "verify",
  about: "Verify the signature of a captured delivery, offline.",
  arguments: ["[file]"],
  flags: {
    secretFile: requiredText("file", "file with the signing secret of the endpoint"),
    header: requiredText("text", "value of the X-Service-Signature header"),
  },
  examples: [
    "webhooks verify --secret-file till.secret --header 't=1763615045,v1=5257a8…' body.json",
    "webhooks verify --secret-file till.secret --header 't=1763615045,v1=5257a8…' - < body.json",
  ],
  async run(cli, { secretFile, header }, file = "-") {
    const [{ signatureError }, { wallClock }] = await Promise.all([
      import("../../../domain/webhooks/webhook-post.ts"),
      import("../../../app/runtime.ts"),
    ]);
    const secret = readTextFile(secretFile).trim();
    const body = file === "-" ? await readStdin(cli.io.stdin) : Buffer.from(readTextFile(file));
    const error = signatureError(header, body, secret, Math.floor(wallClock() / 1000));
    cli.report(
      { valid: error === undefined, error: error ?? null },
      error === undefined ? "The signature is valid." : `Invalid signature: ${error}`,
    );
    return error === undefined ? EXIT.ok : EXIT.failure;
  },
});

const receive = command({
  name: "receive",
  about: "Run a sample receiver on this machine. It verifies signatures and can simulate failures.",
  flags: {
    port: integer(0, 65_535, `port to listen on; 0 chooses a free one (default ${RECEIVER_PORT})`),
    fail: text("percent", "fail this share of the deliveries, such as 30%"),
    delay: duration("wait this long before each response"),
    statusCode: integer(
      200,
      599,
      "status code of failures; without --fail, of every response (default 500)",
    ),
    secretFile: text("file", "file with the signing secret; without it, nothing is verified"),
  },
  examples: [
    "webhooks receive --secret-file till.secret",
    "webhooks receive --port 0 --fail 30% --delay 2s",
  ],
  async run(cli, { port = RECEIVER_PORT, fail, delay = 0, statusCode, secretFile }) {
    // Every delivery fails if only --status-code is given.
    const defaultShare = statusCode === undefined ? 0 : 1;
    const failureShare = fail === undefined ? defaultShare : parsePercent(fail);
    const secret = secretFile === undefined ? null : readTextFile(secretFile).trim();
    const [{ startReceiver }, { untilStopped }, { assertPortAvailable }, { wallClock }] =
      await Promise.all([
        import("../sample-receiver.ts"),
        import("../../../cli/running/stop-signal.ts"),
        import("../../../cli/running/port.ts"),
        import("../../../app/runtime.ts"),
      ]);
    const stopped = untilStopped();
    await assertPortAvailable("127.0.0.1", port);
    // Failures are spread evenly: with 30 %, three of every ten deliveries fail.
    let failuresDue = 0;
    const simulate = () => {
      failuresDue += failureShare;
      const fails = failuresDue >= 1;
      if (fails) failuresDue -= 1;
      return { statusCode: fails ? (statusCode ?? 500) : 200, delayMs: delay };
    };
    const { url, close } = await startReceiver({
      port,
      secret,
      now: wallClock,
      simulate,
      onDelivery: (delivery) => printReceived(cli, delivery),
    });
    cli.note(
      `listening on ${url}${secret === null ? ", verifying nothing" : ", verifying signatures"}`,
    );
    await stopped;
    await close();
  },
});

type Received = {
  eventType: string;
  deliveryId: string;
  attempt: number;
  error: string | undefined;
  statusCode: number;
};

function printReceived(
  cli: Cli,
  { eventType, deliveryId, attempt, error, statusCode }: Received,
): void {
  if (cli.flags.json)
    return cli.printJson({ eventType, deliveryId, attempt, statusCode, error: error ?? null }, 0);
  const reason = error === undefined ? "" : `  refused: ${error}`;
  cli.io.stdout.write(
    `${statusCode}  ${safe(eventType, 60)}  ${safe(deliveryId, 60)}  attempt ${attempt}${reason}\n`,
  );
}

function parsePercent(text: string): number {
  const [, number] = /^(\d{1,3})%?$/.exec(text) ?? [];
  if (number !== undefined && Number(number) <= 100) return Number(number) / 100;
  throw usageError(
    `Invalid --fail '${text}': use a percentage from 0% to 100%.`,
    "use a share such as --fail 30%",
  );
}

export const subcommands = [verify, receive];
