import { EVENT_TYPES } from "../../domain/event-types.ts";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/safe-text.ts";
import type { Runtime } from "../../runtime.ts";
import { DELIVERY_STATUSES } from "../../domain/webhooks/delivery-status.ts";
import type { AttemptRow, DeliveryRow, FollowedAttempt } from "../../store/deliveries.ts";
import type { DeliveryFilter } from "../../store/delivery-filter.ts";
import type { Cli } from "../cli.ts";
import { command, type Group } from "../command.ts";
import { choice, duration, type FlagValues, integer, text, toggle } from "../flags.ts";
import { isoTime, shortTime } from "../output/table.ts";

const USUAL_LIMIT = 50;
/** How often a command looks at what has changed. */
const LOOK_MS = 200;
const LOOK_ROWS = 1000;

const filterFlags = {
  status: choice(DELIVERY_STATUSES, "only those in this state"),
  endpoint: text("id", "only those to this endpoint"),
  event: choice(EVENT_TYPES, "only those of this event"),
  since: duration("only those of the last 2h, 3d, …"),
  failed: toggle("only those whose last attempt failed"),
};

function readFilter(
  cli: Cli,
  rt: Runtime,
  { status, endpoint, event, since, failed }: FlagValues<typeof filterFlags>,
): DeliveryFilter {
  return {
    status,
    businessId: cli.flags.business === undefined ? undefined : cli.business(rt).id,
    endpointId: endpoint,
    eventType: event,
    since: since === undefined ? undefined : rt.now() - since,
    failed: failed || undefined,
  };
}

const isNarrow = ({ businessId: _, ...filter }: DeliveryFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

const list = command({
  name: "list",
  about: "List deliveries, the newest first.",
  flags: {
    ...filterFlags,
    before: text("id", "only those older than this delivery"),
    limit: integer(1, 10_000, `how many (${USUAL_LIMIT})`),
  },
  examples: ["deliveries list --failed --since 2h", "deliveries list --endpoint whe_06f… --limit 500 --json"],
  async run(cli, { before, limit = USUAL_LIMIT, ...filter }) {
    const rt = await cli.open();
    const rows = rt.store.deliveries.list({ ...readFilter(cli, rt, filter), before }, limit + 1);
    const shown = rows.slice(0, limit).map(shownDelivery);
    cli.printList(
      shown,
      [
        { title: "ID", value: ({ id }) => id, whole: true },
        { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt), whole: true, spare: true },
        { title: "STATUS", value: ({ status }) => status },
        { title: "HTTP", value: ({ lastStatusCode }) => lastStatusCode, align: "right" },
        { title: "TRIES", value: ({ attemptCount }) => attemptCount, align: "right" },
        { title: "EVENT", value: ({ eventType }) => eventType },
        // What is asked for with --failed is not left out.
        {
          title: "LAST ERROR",
          value: ({ lastError }) => lastError,
          ...(filter.failed ? {} : { spare: true as const }),
        },
        { title: "NEXT TRY", value: ({ nextAttemptAt }) => shortTime(nextAttemptAt), spare: true },
        { title: "ENDPOINT", value: ({ endpointId }) => endpointId, spare: true },
      ],
      "No delivery.",
    );
    if (rows.length > limit) cli.note(`There are older ones: --before ${shown.at(-1)?.id}, or a larger --limit.`);
  },
});

const show = command({
  name: "show",
  about: "Show a delivery with every attempt at it.",
  arguments: ["<delivery>"],
  examples: ["deliveries show dlv_06f…", "deliveries show dlv_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const { requireDelivery } = await import("../../app/webhooks/deliveries.ts");
    const delivery = requireDelivery(rt, id);
    const attempts = rt.store.deliveries.attempts(id).map(shownAttempt);
    cli.printObject({ ...shownDelivery(delivery), attempts });
  },
});

const redeliver = command({
  name: "redeliver",
  about: "Send deliveries again: one, or all that the options find. The same events, signed anew, below what is fresh.",
  arguments: ["[delivery]"],
  flags: {
    ...filterFlags,
    rate: text("n/s", "at most so many a second, such as 5/s"),
    dryRun: toggle("say how many, and change nothing"),
    wait: toggle("stay until they have been tried"),
  },
  examples: ["deliveries redeliver dlv_06f…", "deliveries redeliver --failed --since 2h --rate 5/s --wait"],
  async run(cli, { rate, dryRun, wait, ...filterGiven }, id) {
    const rt = await cli.open();
    const { redeliver, redeliverMany, requireDelivery } = await import("../../app/webhooks/deliveries.ts");
    const filter = readFilter(cli, rt, filterGiven);
    if ((id === undefined) !== isNarrow(filter))
      throw new AppError("usage", "Either one delivery is named, or options say which.", {
        fix: "deskbell deliveries redeliver --failed --since 2h",
      });
    const perSecond = rate === undefined ? undefined : readRate(rate);
    let count = 1;
    if (id === undefined) count = redeliverMany(rt, filter, { dryRun, perSecond, onProgress: progress(cli) });
    else if (dryRun) requireDelivery(rt, id);
    else redeliver(rt, id);
    if (cli.flags.json) cli.printObject({ count, dryRun });
    cli.note(dryRun ? `${count} would be sent again.` : `${count} on their way again.`);
    // Their state is another one now.
    if (wait && !dryRun) await untilTried(cli, rt, { ...filter, id, status: undefined, failed: undefined });
  },
});

const cancel = command({
  name: "cancel",
  about: "Give up deliveries that are waiting, parked or damaged: one, or all that the options find.",
  arguments: ["[delivery]"],
  flags: { ...filterFlags, dryRun: toggle("say how many, and change nothing") },
  examples: ["deliveries cancel dlv_06f…", "deliveries cancel --endpoint whe_06f… --yes"],
  async run(cli, { dryRun, ...filterGiven }, id) {
    const rt = await cli.open();
    const { cancelDeliveries, requireDelivery } = await import("../../app/webhooks/deliveries.ts");
    const filter = readFilter(cli, rt, filterGiven);
    if ((id === undefined) !== isNarrow(filter))
      throw new AppError("usage", "Either one delivery is named, or options say which.", {
        fix: "deskbell deliveries cancel --endpoint whe_06f…",
      });
    if (id !== undefined) requireDelivery(rt, id);
    const chosen = { ...filter, id };
    const count = rt.store.deliveryMoves.countCancellable(chosen);
    if (!dryRun && count > 0) {
      if (id === undefined) await cli.confirm(`Cancelling ${count} deliveries`, String(count));
      cancelDeliveries(rt, chosen);
    }
    if (cli.flags.json) cli.printObject({ count, dryRun });
    cli.note(dryRun ? `${count} would be cancelled.` : `${count} cancelled.`);
  },
});

const tail = command({
  name: "tail",
  about: "Follow the attempts as they are made, until ctrl-c.",
  flags: {
    endpoint: text("id", "only those at this endpoint"),
    event: choice(EVENT_TYPES, "only those of this event"),
    failed: toggle("only those that failed"),
  },
  examples: ["deliveries tail", "deliveries tail --failed --json"],
  async run(cli, { endpoint, event, failed }) {
    const rt = await cli.open();
    const businessId = cli.flags.business === undefined ? undefined : cli.business(rt).id;
    const { untilStopped } = await import("../running/stop-signal.ts");
    const stopped = untilStopped();
    const isMeant = (attempt: FollowedAttempt) =>
      (businessId === undefined || attempt.businessId === businessId) &&
      (endpoint === undefined || attempt.endpointId === endpoint) &&
      (event === undefined || attempt.eventType === event) &&
      (!failed || attempt.error !== null);
    const follow = followAttempts(rt, rt.store.deliveries.lastAttempt());
    const timer = setInterval(() => {
      for (const attempt of follow().filter(isMeant)) printAttempt(cli, attempt);
    }, LOOK_MS);
    await stopped;
    clearInterval(timer);
  },
});

/** What was attempted since the last call; costs nothing while nothing is written. */
function followAttempts(rt: Runtime, after: number): () => FollowedAttempt[] {
  let last = after;
  let revision = "";
  return () => {
    if (rt.revision() === revision) return [];
    const found = rt.store.deliveries.attemptsAfter(last, LOOK_ROWS);
    // A full page may not be the last one.
    if (found.length < LOOK_ROWS) revision = rt.revision();
    last = found.at(-1)?.number ?? last;
    return found;
  };
}

function printAttempt(cli: Cli, attempt: FollowedAttempt): void {
  const { at, deliveryId, eventType, n, statusCode, outcome, durationMs, url, error, status } = attempt;
  if (cli.flags.json) return void cli.io.stdout.write(`${JSON.stringify({ ...attempt, at: isoTime(at) })}\n`);
  const glyph = error === null ? cli.paint("green", "✓") : cli.paint("red", "✗");
  const answer = statusCode ?? outcome;
  const end = error === null ? "" : `  ${status}`;
  cli.io.stdout.write(
    `${shortTime(isoTime(at))} ${glyph} ${answer}  ${eventType}  ${deliveryId}  #${n}  ${durationMs} ms  ${safe(url, 120)}${end}\n`,
  );
}

function progress(cli: Cli): (done: number, total: number) => void {
  return (done, total) => {
    if (cli.io.stderr.isTTY && total > LOOK_ROWS)
      cli.io.stderr.write(`\r${done} of ${total}${done >= total ? "\n" : ""}`);
  };
}

/** Somebody must be running the daemon. */
async function untilTried(cli: Cli, rt: Runtime, filter: DeliveryFilter): Promise<void> {
  for (let before = 0; ;) {
    const left = rt.store.deliveryMoves.countUntried(filter);
    if (left === 0) return cli.note("All have been tried.");
    if (left !== before) cli.note(`${left} to be tried`);
    before = left;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function readRate(text: string): number {
  const [, count, unit] = /^(\d{1,5})\/([sm])$/.exec(text) ?? [];
  if (count !== undefined && Number(count) > 0) return unit === "s" ? Number(count) : Number(count) / 60;
  throw new AppError("usage", `--rate is written like 5/s or 30/m, not '${text}'.`);
}

const shownDelivery = (delivery: DeliveryRow) => ({
  ...delivery,
  nextAttemptAt: isoTime(delivery.nextAttemptAt),
  createdAt: isoTime(delivery.createdAt),
  deliveredAt: isoTime(delivery.deliveredAt),
});

const shownAttempt = (attempt: AttemptRow) => ({ ...attempt, at: isoTime(attempt.at) });

export const deliveries: Group = {
  name: "deliveries",
  about: "What was sent to webhook endpoints, and what is still owed.",
  commands: [list, show, redeliver, cancel, tail],
};
