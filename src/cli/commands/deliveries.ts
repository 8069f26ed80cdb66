import { countOf } from "../../domain/text.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import { DELIVERY_STATUSES } from "../../domain/webhooks/settle.ts";
import type { AttemptRow, DeliveryRow, DeliveryFilter } from "../../store/deliveries.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandGroup } from "../command.ts";
import { choice, duration, type FlagValues, text, toggle } from "../flags.ts";
import { eventType } from "../input/event-type.ts";
import { resolveEndpointId } from "../objects/resolve.ts";
import { pageFlags, printPage } from "../output/page.ts";
import { isoTime, shortTime } from "../output/table.ts";
import { tail } from "./delivery-tail.ts";

/** How often --wait checks. */
const POLL_MS = 200;
/** Redelivering more than this takes longer than a second. */
const MANY = 1000;

const filterFlags = {
  status: choice(DELIVERY_STATUSES, "only deliveries with this status"),
  endpoint: text("endpoint", "only deliveries to this endpoint (ID or name)"),
  event: eventType("only deliveries of this event type"),
  since: duration("only deliveries of the last 2h, 3d, …"),
  failed: toggle("only deliveries whose last attempt failed"),
};

function toFilter(
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

const hasConditions = ({ businessId: _, ...filter }: DeliveryFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

const list = command({
  name: "list",
  about: "List deliveries, newest first.",
  flags: { ...filterFlags, ...pageFlags },
  examples: [
    "deliveries list --failed --since 2h",
    "deliveries list --endpoint whe_06f… --limit 500 --json",
  ],
  async run(cli, { before, limit, ...filters }) {
    const rt = await cli.open();
    const filter = { ...toFilter(cli, rt, filters), before };
    printPage(
      cli,
      limit,
      (maximum) => rt.store.deliveries.list(filter, maximum).map(toDeliveryOutput),
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
        // With --failed, the error is always shown.
        {
          title: "LAST ERROR",
          value: ({ lastError }) => lastError,
          ...(filters.failed ? {} : { optional: true as const }),
        },
        {
          title: "NEXT TRY",
          value: ({ nextAttemptAt }) => shortTime(nextAttemptAt),
          optional: true,
        },
        { title: "ENDPOINT", value: ({ endpointId }) => endpointId, optional: true },
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
    const attempts = rt.store.deliveries.listAttempts(id).map(toAttemptOutput);
    cli.printObject({ ...toDeliveryOutput(delivery), attempts });
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
  ],
  async run(cli, { rate, wait, ...filters }, id) {
    const { dryRun } = cli.flags;
    const rt = await cli.open();
    const { redeliverDelivery, redeliverDeliveries } =
      await import("../../app/webhooks/deliveries.ts");
    const filter = toFilter(cli, rt, filters);
    if ((id === undefined) !== hasConditions(filter))
      throw new AppError("usage", "Give either one delivery ID or filters such as --failed.", {
        fix: "deskbell deliveries redeliver --failed --since 2h",
      });
    const perSecond = rate === undefined ? undefined : parseRate(rate);
    let count = 1;
    if (id === undefined)
      count = redeliverDeliveries(rt, filter, { perSecond, onProgress: progress(cli) });
    else redeliverDelivery(rt, id);
    if (cli.flags.json) cli.printObject({ count, dryRun });
    cli.note(
      `${cli.flags.dryRun ? "Would redeliver" : "Redelivering"} ${countOf(count, "delivery")}.`,
    );
    // The status and the last error have changed by now, so they are not part of the filter.
    if (wait && !dryRun)
      await untilAttempted(cli, rt, { ...filter, id, status: undefined, failed: undefined });
  },
});

const cancel = command({
  name: "cancel",
  about: "Cancel one delivery that is pending, parked or damaged, or all that match the filters.",
  supportsDryRun: true,
  arguments: ["[delivery]"],
  flags: filterFlags,
  examples: ["deliveries cancel dlv_06f…", "deliveries cancel --endpoint whe_06f… --yes"],
  async run(cli, filters, id) {
    const { dryRun } = cli.flags;
    const rt = await cli.open();
    const { cancelDeliveries, getDelivery } = await import("../../app/webhooks/deliveries.ts");
    const filter = toFilter(cli, rt, filters);
    if ((id === undefined) !== hasConditions(filter))
      throw new AppError("usage", "Give either one delivery ID or filters such as --endpoint.", {
        fix: "deskbell deliveries cancel --endpoint whe_06f…",
      });
    if (id !== undefined) getDelivery(rt, id);
    const chosen = { ...filter, id };
    let count = rt.store.deliveryMoves.countCancellable(chosen);
    if (count > 0) {
      if (id === undefined)
        await cli.confirm(`Cancelling ${countOf(count, "delivery")}`, String(count));
      // More deliveries may match by the time the user has confirmed.
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

async function untilAttempted(cli: Cli, rt: Runtime, filter: DeliveryFilter): Promise<void> {
  const { isDaemonRunning } = await import("../../store/database.ts");
  if (!isDaemonRunning(rt.config.databasePath))
    cli.note(`The daemon is not running, so nothing is sent. Start it: ${cli.program} serve`);
  for (let reported = 0; ;) {
    const left = rt.store.deliveryMoves.countUntriedReplays(filter);
    if (left === 0) return cli.note("All have been attempted.");
    if (left !== reported) cli.note(`${left} left to attempt`);
    reported = left;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function parseRate(text: string): number {
  const [, count, unit] = /^(\d{1,5})\/([sm])$/.exec(text) ?? [];
  if (count !== undefined && Number(count) > 0)
    return unit === "s" ? Number(count) : Number(count) / 60;
  throw new AppError("usage", `Invalid --rate '${text}'.`, {
    fix: "use a rate such as 5/s or 30/m",
  });
}

const toDeliveryOutput = (delivery: DeliveryRow) => ({
  ...delivery,
  nextAttemptAt: isoTime(delivery.nextAttemptAt),
  createdAt: isoTime(delivery.createdAt),
  deliveredAt: isoTime(delivery.deliveredAt),
});

const toAttemptOutput = (attempt: AttemptRow) => ({ ...attempt, at: isoTime(attempt.at) });

export const deliveries: CommandGroup = {
  name: "deliveries",
  about: "List, show, redeliver, cancel and follow webhook deliveries.",
  commands: [list, show, redeliver, cancel, tail],
};
