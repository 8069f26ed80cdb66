import { safe } from "../../domain/text.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { AttemptWithDelivery } from "../../store/deliveries.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { text, toggle } from "../flags.ts";
import { eventType } from "../input/event-type.ts";
import { resolveEndpointId } from "../objects/resolve.ts";
import { isoTime, shortTime } from "../output/table.ts";

const POLL_MS = 200;
const MAX_ROWS = 1000;

export const tail = command({
  name: "tail",
  about: "Print delivery attempts as they happen, until Ctrl-C.",
  flags: {
    endpoint: text("endpoint", "only attempts at this endpoint (ID or name)"),
    event: eventType("only attempts for this event type"),
    failed: toggle("only failed attempts"),
  },
  examples: ["deliveries tail", "deliveries tail --failed --json"],
  async run(cli, { endpoint, event, failed }) {
    const rt = await cli.open();
    const businessId = cli.flags.business === undefined ? undefined : cli.business(rt).id;
    const endpointId = endpoint === undefined ? undefined : resolveEndpointId(cli, rt, endpoint);
    const { untilStopped } = await import("../running/stop-signal.ts");
    const stopped = untilStopped();
    const isWanted = (attempt: AttemptWithDelivery) =>
      (businessId === undefined || attempt.businessId === businessId) &&
      (endpointId === undefined || attempt.endpointId === endpointId) &&
      (event === undefined || attempt.eventType === event) &&
      (!failed || attempt.error !== null);
    const readNew = followAttempts(rt, rt.store.deliveries.getLastAttemptNumber());
    const timer = setInterval(() => {
      for (const attempt of readNew().filter(isWanted)) printAttempt(cli, attempt);
    }, POLL_MS);
    await stopped;
    clearInterval(timer);
  },
});

/**
 * Returns a function that returns the attempts since its last call. It skips the query if nothing
 * was committed.
 */
function followAttempts(rt: Runtime, after: number): () => AttemptWithDelivery[] {
  let last = after;
  let revision = -1;
  return () => {
    // Read the revision before the query, so that a commit in between is found by the next call.
    const now = rt.revision();
    if (now === revision) return [];
    const found = rt.store.deliveries.listAttemptsAfter(last, MAX_ROWS);
    // A full page may not be the last one.
    if (found.length < MAX_ROWS) revision = now;
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
