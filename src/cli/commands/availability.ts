import type { Runtime } from "../../app/runtime.ts";
import type { Availability } from "../../app/availability/availability.ts";
import type { PublicDay } from "../../domain/availability/public-slot.ts";
import {
  type NamedRequest,
  type DateRangeInput,
  parseDateRange,
  type DateRange,
} from "../../domain/availability/request.ts";
import { localDateOf } from "../../domain/local-time.ts";
import { type AvailabilityRow, dayLines, dayRows, slotRow } from "../output/availability-lines.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { type FlagValues, integer, text, toggle, visitFlags } from "../flags.ts";
import { parseDays } from "../typed-times.ts";
import { widthOf } from "../io.ts";
import { toKey, toStaffKeys } from "../objects/by-name.ts";
import { keyOf } from "../objects/objects.ts";
import type { Column } from "../output/table.ts";
import { usageError } from "../failure.ts";

const flags = {
  ...visitFlags,
  party: integer(1, 10_000, "search for a table for this many people, instead of a service"),
  area: text("key", "search in this area only"),
  date: text("date", "a single day"),
  from: text("date", "first day (default: today)"),
  to: text("date", "last day (default: six days after the first)"),
  next: integer(1, 100, "show this many start times, however far ahead"),
  explain: toggle("also show unavailable start times, each with the first rule that fails"),
};

const COLUMNS: Column<AvailabilityRow>[] = [
  { title: "DATE", value: "date", noTruncate: true },
  { title: "STATE", value: "state", noTruncate: true },
  { title: "START", value: "start", noTruncate: true },
  { title: "END", value: "end", noTruncate: true },
  { title: "LEFT", value: "spotsLeft", align: "right" },
  { title: "WITH", value: "who" },
  "why",
];

export const definition = command({
  flags,
  examples: [
    "availability --service cut --staff maya --from 2026-12-01 --to 2026-12-05",
    "availability --service gloss --service cut --next 5",
    "availability --party 4 --area terrace --date 2026-12-01 --explain",
  ],
  async run(cli, given) {
    const named = parseRequest(given);
    const { rt, business } = await cli.openBusiness();
    const request = withKeys(rt, business, named);
    const { timezone } = business.doc;
    const clock = { timezone, now: rt.now() };
    const days = parseDays({ date: given.date, from: given.from, to: given.to }, clock);
    const dates = parseDates({ ...days, next: given.next }, localDateOf(clock.now, timezone));
    const [{ createAvailabilityFinder }, { createEventLoopYield }] = await Promise.all([
      import("../../app/availability/availability.ts"),
      import("../../app/availability/yield-to-event-loop.ts"),
    ]);
    const findAvailability = createAvailabilityFinder(rt);
    const { explain, next } = given;
    const availability = findAvailability(business, {
      audience: "INTERNAL",
      request,
      dates,
      // The value null stands for the time zone of the business.
      timezone: null,
      explain,
      yieldToEventLoop: createEventLoopYield(),
    });
    const nameOf = (id: string) => keyOf(rt, id);
    if (next === undefined) return printDays(cli, dates, availability, timezone, nameOf);
    const slots = await availability.nextSlots(next, dates.from);
    if (cli.flags.json) cli.printObject({ ...availability.terms, from: dates.from, slots });
    else
      cli.printList(
        slots.map((slot) => slotRow(slot, timezone, nameOf)),
        COLUMNS,
        "Nothing is available within the booking horizon.",
      );
  },
});

async function printDays(
  cli: Cli,
  dates: DateRange,
  availability: Availability,
  timezone: string,
  nameOf: (id: string) => string,
): Promise<void> {
  const days: PublicDay[] = [];
  for await (const batch of availability.days()) days.push(...batch);
  const { io, flags } = cli;
  if (flags.json) cli.printObject({ ...availability.terms, ...dates, days });
  else if (io.stdout.isTTY)
    for (const day of days)
      io.stdout.write(`${dayLines(day, timezone, widthOf(io.stdout)).join("\n")}\n`);
  else
    cli.printList(
      days.flatMap((day) => dayRows(day, timezone, nameOf)),
      COLUMNS,
      "",
    );
}

function parseRequest({
  service,
  variant,
  addon,
  staff,
  guests,
  party,
  area,
}: FlagValues<typeof flags>): NamedRequest {
  const namesService = service.length > 0 || variant.length > 0;
  const namesTable = party !== undefined;
  if (namesService === namesTable)
    throw usageError(
      namesService
        ? "--party cannot be combined with --service or --variant."
        : "--service or --party is missing.",
      "add --service KEY, or --party N for a table",
    );
  const hasOptionOfOther = namesTable
    ? addon.length > 0 || staff.length > 0 || guests !== undefined
    : area !== undefined;
  if (hasOptionOfOther)
    throw usageError("--area requires --party; --addon, --staff and --guests require --service.");
  if (party === undefined)
    return {
      serviceIds: service,
      variantIds: variant,
      addonIds: addon,
      staffIds: staff,
      guests: guests ?? 1,
    };
  return { partySize: party, areaId: area ?? null };
}

/** Returns the request with keys in place of the names of services and staff members. */
const withKeys = (rt: Runtime, business: BusinessRow, request: NamedRequest): NamedRequest =>
  "serviceIds" in request
    ? {
        ...request,
        serviceIds: request.serviceIds.map((name) => toKey(rt, business, "service", name)),
        staffIds: toStaffKeys(rt, business, request.staffIds),
      }
    : request;

function parseDates(
  { next, ...input }: DateRangeInput & { next: number | undefined },
  today: string,
): DateRange {
  if (next !== undefined && (input.date ?? input.to) !== undefined)
    throw usageError("--next cannot be combined with --date or --to; use --from.");
  const { range, issues } = parseDateRange(input, today);
  if (range === undefined || issues.length > 0)
    throw usageError(
      issues.map(({ detail }) => detail.replaceAll(/'(date|from|to)'/g, "--$1")).join(" "),
    );
  return range;
}
