import { countOf } from "../../domain/count-of.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import { DELIVERY_STATUSES } from "../../domain/webhooks/delivery-status.ts";
import type { AttemptRow, DeliveryRow } from "../../store/deliveries.ts";
import type { DeliveryFilter } from "../../store/delivery-filter.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandGroup } from "../command.ts";
import { choice, duration, type FlagValues, text, toggle } from "../flags.ts";
import { eventType } from "../input/event-type.ts";
import { resolveEndpointId } from "../objects/resolve.ts";
import { pageFlags, printPage } from "../output/page.ts";
import { isoTime, shortTime } from "../output/table.ts";
import { tail } from "./delivery-tail.ts";

/** How often --wait looks. */
const LOOK_MS = 200;
/** So many take longer than a second. */
const MANY = 1000;

const filterFlags = {
  status: choice(DELIVERY_STATUSES, "only those in this state"),
  endpoint: text("endpoint", "only those to this endpoint, by its id or its name"),
  event: eventType("only those of this event"),
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
    endpointId: endpoint === undefined ? undefined : resolveEndpointId(cli, rt, endpoint),
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
  flags: { ...filterFlags, ...pageFlags },
  examples: [
    "deliveries list --failed --since 2h",
    "deliveries list --endpoint whe_06f… --limit 500 --json",
  ],
  async run(cli, { before, limit, ...filterGiven }) {
    const rt = await cli.open();
    const filter = { ...readFilter(cli, rt, filterGiven), before };
    printPage(
      cli,
      limit,
      (most) => rt.store.deliveries.list(filter, most).map(shownDelivery),
      [
        { title: "ID", value: ({ id }) => id, noTruncate: true },
        {
          title: "CREATED",
          value: ({ createdAt }) => shortTime(createdAt),
          noTruncate: true,
          optional: true,
        },
        { title: "STATUS", value: ({ status }) => status },
        { title: "HTTP", value: ({ lastStatusCode }) => lastStatusCode, align: "right" },
        { title: "TRIES", value: ({ attemptCount }) => attemptCount, align: "right" },
        { title: "EVENT", value: ({ eventType }) => eventType },
        // What is asked for with --failed is not left out.
        {
          title: "LAST ERROR",
          value: ({ lastError }) => lastError,
          ...(filterGiven.failed ? {} : { optional: true as const }),
        },
        {
          title: "NEXT TRY",
          value: ({ nextAttemptAt }) => shortTime(nextAttemptAt),
          optional: true,
        },
        { title: "ENDPOINT", value: ({ endpointId }) => endpointId, optional: true },
      ],
      "No delivery.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show a delivery with every attempt at it.",
  arguments: ["<delivery>"],
  examples: ["deliveries show dlv_06f…", "deliveries show dlv_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const { getDelivery } = await import("../../app/webhooks/deliveries.ts");
    const delivery = getDelivery(rt, id);
    const attempts = rt.store.deliveries.listAttempts(id).map(shownAttempt);
    cli.printObject({ ...shownDelivery(delivery), attempts });
  },
});

const redeliver = command({
  name: "redeliver",
  about:
    "Send deliveries again: one, or all that the options find. The same events, signed anew, below what is fresh.",
  supportsDryRun: true,
  arguments: ["[delivery]"],
  flags: {
    ...filterFlags,
    rate: text("n/s", "at most so many a second, such as 5/s"),
    wait: toggle("stay until they have been tried"),
  },
  examples: [
    "deliveries redeliver dlv_06f…",
    "deliveries redeliver --failed --since 2h --rate 5/s --wait",
  ],
  async run(cli, { rate, wait, ...filterGiven }, id) {
    const { dryRun } = cli.flags;
    const rt = await cli.open();
    const { redeliverDelivery, redeliverDeliveries } =
      await import("../../app/webhooks/deliveries.ts");
    const filter = readFilter(cli, rt, filterGiven);
    if ((id === undefined) !== isNarrow(filter))
      throw new AppError("usage", "Either one delivery is named, or options say which.", {
        fix: "deskbell deliveries redeliver --failed --since 2h",
      });
    const perSecond = rate === undefined ? undefined : readRate(rate);
    let count = 1;
    if (id === undefined)
      count = redeliverDeliveries(rt, filter, { perSecond, onProgress: progress(cli) });
    else redeliverDelivery(rt, id);
    if (cli.flags.json) cli.printObject({ count, dryRun });
    cli.note(`${cli.verb("Redelivered", "redeliver")} ${countOf(count, "delivery")}.`);
    // Their state is another one now.
    if (wait && !dryRun)
      await untilTried(cli, rt, { ...filter, id, status: undefined, failed: undefined });
  },
});

const cancel = command({
  name: "cancel",
  about:
    "Give up deliveries that are waiting, parked or damaged: one, or all that the options find.",
  supportsDryRun: true,
  arguments: ["[delivery]"],
  flags: filterFlags,
  examples: ["deliveries cancel dlv_06f…", "deliveries cancel --endpoint whe_06f… --yes"],
  async run(cli, filterGiven, id) {
    const { dryRun } = cli.flags;
    const rt = await cli.open();
    const { cancelDeliveries, getDelivery } = await import("../../app/webhooks/deliveries.ts");
    const filter = readFilter(cli, rt, filterGiven);
    if ((id === undefined) !== isNarrow(filter))
      throw new AppError("usage", "Either one delivery is named, or options say which.", {
        fix: "deskbell deliveries cancel --endpoint whe_06f…",
      });
    if (id !== undefined) getDelivery(rt, id);
    const chosen = { ...filter, id };
    let count = rt.store.deliveryMoves.countCancellable(chosen);
    if (count > 0) {
      if (id === undefined)
        await cli.confirm(`Cancelling ${countOf(count, "delivery")}`, String(count));
      // Somebody may have taken their time to confirm it.
      count = cancelDeliveries(rt, chosen);
    }
    if (cli.flags.json) cli.printObject({ count, dryRun });
    cli.note(`${cli.verb("Cancelled", "cancel")} ${countOf(count, "delivery")}.`);
  },
});

function progress(cli: Cli): (done: number, total: number) => void {
  return (done, total) => {
    if (cli.io.stderr.isTTY && !cli.flags.quiet && total > MANY)
      cli.io.stderr.write(`\r${done} of ${total}${done >= total ? "\n" : ""}`);
  };
}

async function untilTried(cli: Cli, rt: Runtime, filter: DeliveryFilter): Promise<void> {
  const { isDaemonRunning } = await import("../../store/database.ts");
  if (!isDaemonRunning(rt.config.databasePath))
    cli.note(`No daemon runs that would send them: ${cli.program} serve`);
  for (let before = 0; ;) {
    const left = rt.store.deliveryMoves.countUntriedReplays(filter);
    if (left === 0) return cli.note("All have been tried.");
    if (left !== before) cli.note(`${left} to be tried`);
    before = left;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function readRate(text: string): number {
  const [, count, unit] = /^(\d{1,5})\/([sm])$/.exec(text) ?? [];
  if (count !== undefined && Number(count) > 0)
    return unit === "s" ? Number(count) : Number(count) / 60;
  throw new AppError("usage", `'${text}' is no --rate.`, { fix: "write it as 5/s or 30/m" });
}

const shownDelivery = (delivery: DeliveryRow) => ({
  ...delivery,
  nextAttemptAt: isoTime(delivery.nextAttemptAt),
  createdAt: isoTime(delivery.createdAt),
  deliveredAt: isoTime(delivery.deliveredAt),
});

const shownAttempt = (attempt: AttemptRow) => ({ ...attempt, at: isoTime(attempt.at) });

export const deliveries: CommandGroup = {
  name: "deliveries",
  about: "What was sent to webhook endpoints, and what is still owed.",
  commands: [list, show, redeliver, cancel, tail],
};
