import { safe } from "../../../domain/text.ts";
import { command } from "../../../cli/command.ts";
import { eventType } from "../../../cli/flags.ts";
import { EXIT } from "../../../cli/failure.ts";
import { resolveEndpoint } from "../../../cli/objects/objects.ts";
import { lazySendOnce } from "../../../cli/running/send-once.ts";

const test = command({
  name: "test",
  about: "Send a signed test event to an endpoint and show the request and the response.",
  arguments: ["<endpoint>"],
  flags: {
    event: eventType(
      "type of the event (default: the first subscribed one that the business has an object for)",
    ),
  },
  examples: ["webhooks test whe_06f…", "webhooks test whe_06f… --event booking.created --json"],
  async run(cli, { event }, nameOrId) {
    const rt = await cli.open();
    const endpoint = resolveEndpoint(cli, rt, nameOrId);
    const { recordAcceptedTest, testEndpoint } =
      await import("../../../app/webhooks/test-endpoint.ts");
    const result = await testEndpoint(rt, endpoint.id, lazySendOnce(rt), {
      eventType: event,
    });
    if (result.ok) recordAcceptedTest(rt, endpoint);
    if (cli.flags.json) cli.printObject(result);
    else {
      const { url, address, headers, body, statusCode, error, durationMs, responseText } = result;
      const say = (line: string) => void cli.io.stdout.write(`${line}\n`);
      say(`POST ${safe(url, 2048)} (${address ?? "no connection"})`);
      for (const [name, value] of Object.entries(headers)) say(`${name}: ${safe(value)}`);
      say(`\n${safe(body, 100_000)}\n`);
      say(
        `${statusCode ?? safe(error ?? "")} in ${durationMs} ms${responseText === "" ? "" : `: ${safe(responseText)}`}`,
      );
    }
    cli.note(
      result.ok ? "The endpoint accepted it." : `The endpoint failed: ${result.error ?? ""}.`,
    );
    return result.ok ? EXIT.ok : EXIT.failure;
  },
});

export const subcommands = [test];
