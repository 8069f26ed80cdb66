import { EVENT_TYPES } from "../../domain/event-types.ts";
import { AppError } from "../../domain/errors.ts";
import type { AttemptRow, DeliveryRow, DeliveryStatus } from "../../store/deliveries.ts";
import { command, type Group } from "../command.ts";
import { choice, duration, integer, text } from "../flags.ts";
import { isoTime, shortTime } from "../table.ts";

const STATUSES = [
  "PENDING",
  "DELIVERED",
  "EXHAUSTED",
  "PARKED",
  "CANCELLED",
  "CORRUPT",
] as const satisfies DeliveryStatus[];
const USUAL_LIMIT = 50;

const list = command({
  name: "list",
  about: "List deliveries, the newest first.",
  flags: {
    status: choice(STATUSES, "only those in this state"),
    endpoint: text("id", "only those to this endpoint"),
    event: choice(EVENT_TYPES, "only those of this event"),
    since: duration("only those of the last 2h, 3d, …"),
    before: text("id", "only those older than this delivery"),
    limit: integer(1, 10_000, `how many (${USUAL_LIMIT})`),
  },
  examples: ["deliveries list --status EXHAUSTED --since 2h", "deliveries list --endpoint whe_06f… --limit 500 --json"],
  async run(cli, { since, event, endpoint, limit = USUAL_LIMIT, ...filter }) {
    const rt = await cli.open();
    const rows = rt.store.deliveries.list(
      {
        ...filter,
        businessId: cli.flags.business === undefined ? undefined : cli.business(rt).id,
        endpointId: endpoint,
        eventType: event,
        since: since === undefined ? undefined : rt.now() - since,
      },
      limit + 1,
    );
    const shown = rows.slice(0, limit).map(shownDelivery);
    cli.printList(
      shown,
      [
        { title: "ID", value: ({ id }) => id, whole: true },
        { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt), whole: true },
        { title: "STATUS", value: ({ status }) => status },
        { title: "HTTP", value: ({ lastStatusCode }) => lastStatusCode, align: "right" },
        { title: "TRIES", value: ({ attemptCount }) => attemptCount, align: "right" },
        { title: "EVENT", value: ({ eventType }) => eventType },
        { title: "NEXT TRY", value: ({ nextAttemptAt }) => shortTime(nextAttemptAt) },
        { title: "ENDPOINT", value: ({ endpointId }) => endpointId },
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
    const delivery = rt.store.deliveries.byId(id);
    if (!delivery)
      throw new AppError("resource_not_found", `There is no delivery ${id}.`, { fix: "deskbell deliveries list" });
    const attempts = rt.store.deliveries.attempts(id).map(shownAttempt);
    cli.printObject({ ...shownDelivery(delivery), attempts });
  },
});

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
  commands: [list, show],
};
