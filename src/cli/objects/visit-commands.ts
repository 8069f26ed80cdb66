import { idEndingOf } from "../../domain/bookings/affected-visits.ts";
import { VISIT_STATUSES } from "../../domain/bookings/visit.ts";
import type { Cancellable } from "../../app/bookings/operator-changes.ts";
import type { StateAction } from "../../app/bookings/change-visit.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  expandDay,
  isLocalTime,
  isStartTime,
  localDateOf,
  occurrencesOf,
  startOfDay,
  toLocalMinute,
} from "../../domain/local-time.ts";
import type { VisitFilter } from "../../store/bookings/bookings.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { VisitListFilter } from "../../store/bookings/visit-lists.ts";
import type { Cli } from "../cli.ts";
import { command, type CommandSpec } from "../command.ts";
import { usageError } from "../failure.ts";
import { choice, DEFAULT_LIMIT, pageFlags, pastTime, text } from "../flags.ts";
import { parseBound } from "../typed-times.ts";
import { cancelCommand } from "./cancel-command.ts";
import { resolveMaker, resolveObject } from "./objects.ts";
import type { Column } from "../output/table.ts";

/** Describes the commands for bookings or reservations. */
type Visits<Row, Shown> = {
  /** The noun in the singular, for messages and the help. */
  noun: "booking" | "reservation";
  exampleId: string;
  /** What a cancellation makes available again, such as `its table`. */
  freed: string;
  store: (rt: Runtime) => {
    listByEnding: (businessId: string, ending: string) => string[];
    list: (filter: VisitFilter, limit: number) => Row[];
    listPage: (filter: VisitListFilter, limit: number) => Row[];
  };
  toPublic: (row: Row, timezone: string) => Shown;
  columns: (rt: Runtime, business: BusinessRow) => Column<Shown>[];
  /** Imports the use cases when a command runs. */
  useCases: () => Promise<{
    change: (
      rt: Runtime,
      slug: string,
      id: string,
      action: StateAction,
      reason?: string | null,
    ) => object;
    get: (rt: Runtime, businessId: string, id: string) => Row;
    cancellable: Cancellable<Row>;
  }>;
};

/**
 * Returns the ID of the visit with the given short ID; any other text is returned as it is.
 * @throws AppError usage if several visits have the short ID
 */
export function resolveVisitId(
  store: { listByEnding: (businessId: string, ending: string) => string[] },
  { id: businessId }: BusinessRow,
  given: string,
): string {
  const ending = idEndingOf(given);
  if (ending === undefined) return given;
  const [found = given, another] = store.listByEnding(businessId, ending);
  if (another === undefined) return found;
  throw usageError(`Several IDs end in '${ending}'.`, `use the whole ID: ${found} or ${another}`);
}

/** Returns a start that the operator typed, with its date: `18:00` means today. */
export function toStart<Text extends string | undefined>(
  start: Text,
  timezone: string,
  now: number,
): Text {
  if (start === undefined) return start;
  // `expandDay` replaces `tomorrow 18:00`. A time alone, such as `18:00`, still lacks its date.
  const expanded = expandDay(start, timezone, now);
  return (isStartTime(expanded) ? `${localDateOf(now, timezone)}T${expanded}` : expanded) as Text;
}

/** Prints which instant a local start time means if clocks show this time twice on that day. */
export function noteRepeatedStart(cli: Cli, timezone: string, start: string | undefined): void {
  if (start === undefined || !isLocalTime(start)) return;
  const [first, second] = occurrencesOf(start.replace(" ", "T"), timezone);
  if (second === undefined) return;
  cli.note(
    `Clocks show ${start} twice on that day. This is the first, ${first}; the second is --start ${second}.`,
  );
}

/**
 * The filters of a list in the order of start times. A list in the order of IDs (`--before`) does
 * not have these filters.
 */
const FILTERS_BY_START = {
  from: "--from",
  to: "--to",
  staff: "--staff",
  service: "--service",
  createdSince: "--created-since",
} as const;

/**
 * Asserts that a list by ID has none of the `FILTERS_BY_START`. `--from none` and `--to none` are
 * allowed, because they leave out nothing.
 * @throws AppError usage
 */
function assertListsById(given: { [K in keyof typeof FILTERS_BY_START]: unknown }): void {
  for (const [field, flag] of Object.entries(FILTERS_BY_START)) {
    const value = given[field as keyof typeof FILTERS_BY_START];
    const leavesOut = value !== undefined && !(value === "none" && /^(?:from|to)$/.test(field));
    if (leavesOut)
      throw usageError(
        `--before cannot be combined with ${flag}.`,
        `leave out ${flag} to list by ID, or --before to list by start`,
      );
  }
}

/**
 * Commands that change the state of a visit. The noun goes between the two parts of `about`;
 * `example` is an ID without its prefix of four characters.
 */
const ACTIONS = [
  { name: "approve", action: "approve", about: ["Approve a pending", ""], example: "06p…" },
  {
    name: "decline",
    action: "decline",
    about: ["Decline a pending", ", which cancels it with the reason DECLINED"],
    example: "06p…",
  },
  {
    name: "complete",
    action: "complete",
    about: ["Mark a started", " as completed"],
    example: "06s…",
  },
  {
    name: "no-show",
    action: "noShow",
    about: ["Mark a started", " as a no-show"],
    example: "06s…",
  },
] as const;

/** Returns the commands `approve`, `cancel`, `complete`, `decline`, `list`, `no-show`, `show`. */
export function visitCommands<Row, Shown extends { id: string; startsAt: string }>(
  visits: Visits<Row, Shown>,
): CommandSpec[] {
  const { noun, exampleId, toPublic } = visits;
  const group = `${noun}s`;

  async function change(cli: Cli, id: string, action: StateAction, reason?: string) {
    const rt = await cli.open();
    const useCases = await visits.useCases();
    const business = cli.business(rt);
    const visitId = resolveVisitId(visits.store(rt), business, id);
    cli.printObject(useCases.change(rt, business.slug, visitId, action, reason ?? null));
  }

  const cancel = cancelCommand({
    group,
    noun,
    about: `Cancel a ${noun}, which makes ${visits.freed} available again, or all that a key has made since a time.`,
    argument: "[id]",
    reason: "why; partners see it",
    notStarted: "that have not started",
    examples: [`${group} cancel ${exampleId} --reason illness`],
    cancelOne: (cli, id, reason) => change(cli, id, "cancel", reason),
    useCases: visits.useCases,
    toShown: toPublic,
    columns: visits.columns,
  });

  const actions = ACTIONS.map(({ name, action, about: [before, after], example }) => {
    const line = `${group} ${name} ${exampleId.slice(0, 4)}${example}`;
    return command({
      name,
      about: `${before} ${noun}${after}.`,
      supportsDryRun: true,
      arguments: ["<id>"],
      examples: [line, `${line} --json`],
      run: (cli, _flags, id) => change(cli, id, action),
    });
  });

  const list = listCommand(visits);

  const show = command({
    name: "show",
    about: `Show a ${noun}.`,
    arguments: ["<id>"],
    examples: [`${group} show ${exampleId}`, `${group} show ${exampleId} --json`],
    async run(cli, _flags, given) {
      const { rt, business } = await cli.openBusiness();
      const id = resolveVisitId(visits.store(rt), business, given);
      const useCases = await visits.useCases();
      const { findCustomer } = await import("../../app/bookings/guests.ts");
      const visit = toPublic(useCases.get(rt, business.id, id), business.doc.timezone);
      const customer = findCustomer(rt, id);
      cli.printObject(customer === null ? visit : { ...visit, customer });
    },
  });

  return [...actions, cancel, list, show];
}

function listCommand<Row, Shown extends { id: string; startsAt: string }>(
  visits: Visits<Row, Shown>,
): CommandSpec {
  const { noun, toPublic } = visits;
  const group = `${noun}s`;
  const bookingFlags = {
    staff: text("key", "only those with this staff member"),
    service: text("key", "only those of this service"),
  };
  return command({
    name: "list",
    about: `List ${group} by start, from today on.`,
    flags: {
      from: text("date", "first day, or first start such as 2026-12-01T13:00; none for all"),
      to: text("date", "last day, or the time before which visits must start"),
      ...(noun === "booking" ? bookingFlags : ({} as typeof bookingFlags)),
      status: choice(VISIT_STATUSES, `only ${group} with this status`),
      key: text("key", "only those that this API key made"),
      createdSince: pastTime("only those made since then (a time in UTC, or 2h, 3d, …)"),
      ...pageFlags,
      before: text(
        "id",
        `list older ${group} than this ID instead, newest first; only with --status, --key and --limit`,
      ),
    },
    examples: [
      `${group} list --from 2026-12-01 --to 2026-12-24`,
      `${group} list --status PENDING --json`,
      `${group} list --key website --created-since 2h`,
    ],
    async run(cli, { limit, before, status, key, ...flags }) {
      if (before !== undefined) assertListsById(flags);
      const { rt, business } = await cli.openBusiness();
      const { id: businessId, slug } = business;
      const { timezone } = business.doc;
      const clock = { timezone, now: rt.now() };
      const columns = visits.columns(rt, business);
      const toShown = (row: Row) => toPublic(row, timezone);
      const empty = `${slug} has no such ${group}.`;
      const store = visits.store(rt);
      const createdByKey = key === undefined ? undefined : resolveMaker(cli, rt, business, key).id;
      if (before !== undefined) {
        const filter = { businessId, status, createdByKey, before };
        const read = (maximum: number): Shown[] => store.list(filter, maximum).map(toShown);
        return cli.printPage(limit, read, columns, empty);
      }
      const idOf = (kind: "staff" | "service", name: string | undefined) =>
        name === undefined ? undefined : resolveObject(rt, business, kind, name).id;
      const today = startOfDay(localDateOf(rt.now(), timezone), timezone);
      const from = parseBound("--from", flags.from, clock);
      const filter: VisitListFilter = {
        businessId,
        status,
        createdByKey,
        createdSince: flags.createdSince?.(rt.now()),
        staffId: idOf("staff", flags.staff),
        serviceId: idOf("service", flags.service),
        // `--from none` is null here, and lists all visits.
        from: from === undefined ? today : (from ?? undefined),
        to: parseBound("--to", flags.to, clock) ?? undefined,
      };
      const maximum = limit ?? DEFAULT_LIMIT;
      const rows = store.listPage(filter, maximum + 1).map(toShown);
      cli.printList(rows.slice(0, maximum), columns, empty);
      const [firstShown, firstOmitted] = [rows[0], rows[maximum]];
      if (firstShown === undefined || firstOmitted === undefined) return;
      const [shownFrom, nextFrom] = [firstShown, firstOmitted].map(({ startsAt }) =>
        toLocalMinute(startsAt, timezone),
      );
      // `--from` with the start of the first visit shown would show the same visits again.
      const nextPage = nextFrom === shownFrom ? "" : `--from ${nextFrom}, or `;
      cli.note(`There are later ${group}: add ${nextPage}a larger --limit.`);
    },
  });
}
