import { countOf, safe } from "../../domain/text.ts";
import type { Runtime } from "../../app/runtime.ts";
import { nextAttemptOf } from "../../domain/webhooks/failing-endpoint.ts";
import { DELIVERY_STATUSES } from "../../domain/webhooks/settle.ts";
import type {
  DeliveryRow,
  DeliveryFilter,
  AttemptWithDelivery,
} from "../../store/webhooks/deliveries.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { choice, pastTime, type FlagValues, text, toggle, pageFlags, eventType } from "../flags.ts";
import { resolveEndpointId } from "../objects/objects.ts";
import { isoTime, shortTime, withIsoTimes } from "../output/table.ts";
import { usageError } from "../failure.ts";

/** How often `deliveries tail` and `redeliver --wait` read the database. */
const POLL_MS = 200;
/** Maximum number of attempts that `deliveries tail` reads at once. */
const MAX_ROWS = 1000;

const tail = command({
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
    const businessId = cli.businessId(rt);
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
 * Returns a function that returns the attempts since its last call. The function skips the query if
 * nothing was committed.
 */
export function followAttempts(rt: Runtime, after: number): () => AttemptWithDelivery[] {
  let last = after;
  // No database has this revision, so the first call queries.
  let revision = -1;
  return () => {
    // Read the revision before the query, so that a commit in between is found by the next call.
    const current = rt.revision();
    if (current === revision) return [];
    // A daemon that starts after the newest attempts were deleted uses their numbers again, so
    // `last` must not be above the highest stored number.
    last = Math.min(last, rt.store.deliveries.getLastAttemptNumber());
    const found = rt.store.deliveries.listAttemptsAfter(last, MAX_ROWS);
    // More attempts may follow a full page, so the next call queries again.
    if (found.length < MAX_ROWS) revision = current;
    last = found.at(-1)?.number ?? last;
    return found;
  };
}

function printAttempt(cli: Cli, attempt: AttemptWithDelivery): void {
  const { at, deliveryId, eventType, n, statusCode, outcome, durationMs, url, error, status } =
    attempt;
  if (cli.flags.json) return cli.printJson(withIsoTimes(attempt, "at"), 0);
  const glyph = error === null ? cli.paint("green", "✓") : cli.paint("red", "✗");
  const end = error === null ? "" : `  ${status}`;
  cli.io.stdout.write(
    `${shortTime(isoTime(at))} ${glyph} ${statusCode ?? outcome}  ${eventType}  ${deliveryId}  #${n}  ${durationMs} ms  ${safe(url, 120)}${end}\n`,
  );
}

/** Redelivering more deliveries than this takes longer than a second, so the progress is shown. */
const MIN_WITH_PROGRESS = 1000;

const filterFlags = {
  status: choice(DELIVERY_STATUSES, "only deliveries with this status"),
  endpoint: text("endpoint", "only deliveries to this endpoint (ID or name)"),
  event: eventType("only deliveries of this event type"),
  since: pastTime("only deliveries since a date or time (UTC), or of the last 2h, 3d, …"),
  until: pastTime("only deliveries before a date or time (UTC), or older than 2h, 3d, …"),
  failed: toggle("only deliveries whose last attempt failed"),
};

function toFilter(
  cli: Cli,
  rt: Runtime,
  { status, endpoint, event, since, until, failed }: FlagValues<typeof filterFlags>,
): DeliveryFilter {
  return {
    status,
    businessId: cli.businessId(rt),
    endpointId: endpoint === undefined ? undefined : resolveEndpointId(cli, rt, endpoint),
    eventType: event,
    since: since?.(rt.now()),
    until: until?.(rt.now()),
    failed: failed || undefined,
  };
}

/** @throws AppError usage unless exactly one of an ID and a filter is given */
function assertOneOrFilter(
  id: string | undefined,
  { businessId: _, ...filter }: DeliveryFilter,
  verb: string,
  flags: string,
): void {
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const hasId = id !== undefined;
  if (hasId !== hasFilter) return;
  throw usageError(
    `Give either one delivery ID or filters such as ${flags.split(" ")[0]}.`,
    `deskbell deliveries ${verb} ${flags}`,
  );
}

const list = command({
  name: "list",
  about: "List deliveries, newest first.",
  flags: { ...filterFlags, ...pageFlags },
  examples: [
    "deliveries list --failed --since 2h",
    "deliveries list --since 2026-12-01T14:00 --until 2026-12-01T15:00",
    "deliveries list --endpoint whe_06f… --limit 500 --json",
  ],
  async run(cli, { before, limit, ...filters }) {
    const rt = await cli.open();
    const filter = { ...toFilter(cli, rt, filters), before };
    cli.printPage(
      limit,
      (maximum) =>
        rt.store.deliveries.listWithNames(filter, maximum).map((row) => toOutput(row, rt.now())),
      [
        "id",
        { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt), noTruncate: true },
        "status",
        { title: "HTTP", value: "lastStatusCode", align: "right", wraps: true },
        { title: "TRIES", value: "attemptCount", align: "right", wraps: true },
        { title: "EVENT", value: "eventType" },
        { title: "LAST ERROR", value: "lastError", wraps: true },
        {
          title: "NEXT TRY",
          value: ({ nextAttemptAt, heldUntil }) =>
            heldUntil === null ? shortTime(nextAttemptAt) : `probe ${shortTime(heldUntil)}`,
          wraps: true,
        },
        { title: "ENDPOINT", value: "endpointId", isPipeOnly: true },
        { title: "ENDPOINT", value: "endpointName", wraps: true },
      ],
      "No deliveries.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show a delivery and its attempts.",
  arguments: ["<delivery>"],
  examples: ["deliveries show dlv_06f…", "deliveries show dlv_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const { getDelivery } = await import("../../app/webhooks/deliveries.ts");
    const delivery = getDelivery(rt, id);
    const attempts = rt.store.deliveries
      .listAttempts(id)
      .map((attempt) => withIsoTimes(attempt, "at"));
    const output = { ...toOutput(delivery, rt.now()), attempts };
    const { heldUntil } = output;
    cli.printObject(
      output,
      heldUntil === null
        ? output
        : { ...output, heldUntil: `${heldUntil} (waits for the endpoint, next probe then)` },
    );
  },
});

const redeliver = command({
  name: "redeliver",
  about:
    "Redeliver one delivery, or all that match the filters. Events are re-signed and sent at lower priority than new ones.",
  supportsDryRun: true,
  arguments: ["[delivery]"],
  flags: {
    ...filterFlags,
    rate: text("n/s", "maximum rate, such as 5/s or 30/m"),
    wait: toggle("wait until each has been attempted"),
  },
  examples: [
    "deliveries redeliver dlv_06f…",
    "deliveries redeliver --failed --since 2h --rate 5/s --wait",
    "deliveries redeliver --event service.updated --since 2026-12-01T14:00 --until 2026-12-01T15:00 --dry-run",
  ],
  async run(cli, { rate, wait, ...filters }, id) {
    const { dryRun } = cli.flags;
    const rt = await cli.open();
    const { redeliverDelivery, redeliverDeliveries } =
      await import("../../app/webhooks/deliveries.ts");
    const filter = toFilter(cli, rt, filters);
    assertOneOrFilter(id, filter, "redeliver", "--failed --since 2h");
    const perSecond = rate === undefined ? undefined : parseRate(rate);
    let count = 1;
    if (id === undefined)
      count = redeliverDeliveries(rt, filter, { perSecond, onProgress: createProgress(cli) });
    else redeliverDelivery(rt, id);
    cli.report(
      { count, dryRun },
      `${cli.flags.dryRun ? "Would redeliver" : "Redelivering"} ${countOf(count, "delivery")}.`,
    );
    // The status and the last error have changed by now, so they are not part of the filter.
    if (wait && !dryRun)
      await untilAttempted(cli, rt, { ...filter, id, status: undefined, failed: undefined });
  },
});

const cancel = command({
  name: "cancel",
  about: "Cancel one delivery that is pending, parked or corrupt, or all that match the filters.",
  supportsDryRun: true,
  arguments: ["[delivery]"],
  flags: filterFlags,
  examples: [
    "deliveries cancel dlv_06f…",
    "deliveries cancel --endpoint whe_06f… --since 2026-12-01 --until 2026-12-02 --yes",
  ],
  async run(cli, filters, id) {
    const { dryRun } = cli.flags;
    const rt = await cli.open();
    const { cancelDeliveries, getDelivery } = await import("../../app/webhooks/deliveries.ts");
    const filter = toFilter(cli, rt, filters);
    assertOneOrFilter(id, filter, "cancel", "--endpoint whe_06f…");
    // `getDelivery` throws if there is no such delivery.
    if (id !== undefined) getDelivery(rt, id);
    const chosen = { ...filter, id };
    let count = rt.store.deliveryMoves.countCancellable(chosen);
    if (count > 0) {
      if (id === undefined)
        await cli.confirm(`Cancelling ${countOf(count, "delivery")}`, String(count));
      // The number is read again, because more deliveries may match by the time the user has
      // confirmed.
      count = cancelDeliveries(rt, chosen);
    }
    cli.report(
      { count, dryRun },
      `${cli.verb("Cancelled", "cancel")} ${countOf(count, "delivery")}.`,
    );
  },
});

/** Returns a function that shows the progress of many deliveries on a terminal. */
function createProgress(cli: Cli): (done: number, total: number) => void {
  return (done, total) => {
    if (cli.io.stderr.isTTY && !cli.flags.quiet && total > MIN_WITH_PROGRESS)
      cli.io.stderr.write(`\r${done} of ${total}${done >= total ? "\n" : ""}`);
  };
}

async function untilAttempted(cli: Cli, rt: Runtime, filter: DeliveryFilter): Promise<void> {
  const { isDaemonRunning } = await import("../../store/database/database.ts");
  if (!isDaemonRunning(rt.config.databasePath))
    cli.note(`The daemon is not running, so nothing is sent. Start it: ${cli.program} serve`);
  const { deliveryMoves } = rt.store;
  for (let reported = 0; ;) {
    const left = deliveryMoves.countUntriedRedeliveries(filter);
    if (left === 0) {
      const stopped = deliveryMoves.countStoppedRedeliveries(filter);
      return cli.note(
        stopped === 0
          ? "All have been attempted."
          : `Nothing is left to attempt. Parked, cancelled or corrupt without an attempt: ${countOf(stopped, "delivery")}.`,
      );
    }
    if (left !== reported) cli.note(`${left} left to attempt`);
    reported = left;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function parseRate(text: string): number {
  const [, count, unit] = /^(\d{1,5})\/([sm])$/.exec(text) ?? [];
  if (count !== undefined && Number(count) > 0)
    return unit === "s" ? Number(count) : Number(count) / 60;
  throw usageError(`Invalid --rate '${text}'.`, "use a rate such as 5/s or 30/m");
}

function toOutput(delivery: DeliveryRow & { endpointName?: string }, now: number) {
  const { endpointHeldUntil: _, ...row } = delivery;
  const output = { ...row, ...nextAttemptOf(delivery, now) };
  return withIsoTimes(output, "nextAttemptAt", "heldUntil", "createdAt", "deliveredAt");
}

export const definition = [list, show, redeliver, cancel, tail];
