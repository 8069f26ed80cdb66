import { safe } from "../../domain/safe-text.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { AttemptWithDelivery } from "../../store/deliveries.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { text, toggle } from "../flags.ts";
import { eventType } from "../input/event-type.ts";
import { resolveEndpointId } from "../objects/resolve.ts";
import { isoTime, shortTime } from "../output/table.ts";

/** How often it looks at what has changed. */
const LOOK_MS = 200;
const LOOK_ROWS = 1000;

export const tail = command({
  name: "tail",
  about: "Follow the attempts as they are made, until ctrl-c.",
  flags: {
    endpoint: text("endpoint", "only those at this endpoint, by its id or its name"),
    event: eventType("only those of this event"),
    failed: toggle("only those that failed"),
  },
  examples: ["deliveries tail", "deliveries tail --failed --json"],
  async run(cli, { endpoint, event, failed }) {
    const rt = await cli.open();
    const businessId = cli.flags.business === undefined ? undefined : cli.business(rt).id;
    const endpointId = endpoint === undefined ? undefined : resolveEndpointId(cli, rt, endpoint);
    const { untilStopped } = await import("../running/stop-signal.ts");
    const stopped = untilStopped();
    const isMeant = (attempt: AttemptWithDelivery) =>
      (businessId === undefined || attempt.businessId === businessId) &&
      (endpointId === undefined || attempt.endpointId === endpointId) &&
      (event === undefined || attempt.eventType === event) &&
      (!failed || attempt.error !== null);
    const follow = followAttempts(rt, rt.store.deliveries.getLastAttemptNumber());
    const timer = setInterval(() => {
      for (const attempt of follow().filter(isMeant)) printAttempt(cli, attempt);
    }, LOOK_MS);
    await stopped;
    clearInterval(timer);
  },
});

/** What was attempted since the last call; costs nothing while nothing is written. */
function followAttempts(rt: Runtime, after: number): () => AttemptWithDelivery[] {
  let last = after;
  let revision = -1;
  return () => {
    // Before the look: what is committed during it shows at the next one.
    const now = rt.revision();
    if (now === revision) return [];
    const found = rt.store.deliveries.listAttemptsAfter(last, LOOK_ROWS);
    // A full page may not be the last one.
    if (found.length < LOOK_ROWS) revision = now;
    last = found.at(-1)?.number ?? last;
    return found;
  };
}

function printAttempt(cli: Cli, attempt: AttemptWithDelivery): void {
  const { at, deliveryId, eventType, n, statusCode, outcome, durationMs, url, error, status } =
    attempt;
  if (cli.flags.json)
    return void cli.io.stdout.write(`${JSON.stringify({ ...attempt, at: isoTime(at) })}\n`);
  const glyph = error === null ? cli.paint("green", "✓") : cli.paint("red", "✗");
  const answer = statusCode ?? outcome;
  const end = error === null ? "" : `  ${status}`;
  cli.io.stdout.write(
    `${shortTime(isoTime(at))} ${glyph} ${answer}  ${eventType}  ${deliveryId}  #${n}  ${durationMs} ms  ${safe(url, 120)}${end}\n`,
  );
}
