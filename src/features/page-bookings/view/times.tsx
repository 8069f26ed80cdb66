/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { PriceType } from "../../../domain/catalog/price-type.ts";
import { fillText } from "../../../pages/languages.ts";
import type { FreeTime, MonthOfTimes } from "../show/find-times.ts";
import type { BookingShop } from "../show/read-offer.ts";
import { writeTotalOfTime } from "../total.ts";
import { writeDateTime, writeTime, writeZone } from "../when.ts";
import { Heading, Notice, Telephone } from "./parts.tsx";

type TimesProps = BookingShop & {
  title: string;
  summary: ComponentChildren;
  found: MonthOfTimes;
  /** A time of the guest's own hold, which others cannot book. */
  own: FreeTime | null;
  /** Returns the URL of this step with another month or day. */
  urlOf: (fields: { month: string } | { date: string }) => string;
  /** The URL to which the form sends a chosen time. */
  action: string;
  /** Why the guest must choose again; null at first. */
  notice: string | null;
  /** Whether the guest can also call for a time. */
  showsPhone?: boolean;
  /** How exact the totals of the times are. */
  priceType: PriceType;
};

/** A month with its free days, and the times of a day. */
export const Times = (props: TimesProps) => {
  const { shop, business, texts, title, summary, found, urlOf, notice, showsPhone } = props;
  const monthName = nameMonth(shop.format.locale, found.month);
  return (
    <>
      <Heading>{title}</Heading>
      {notice !== null && <Notice kind="warn">{notice}</Notice>}
      {showsPhone === true && <Telephone {...props} />}
      {summary}
      <div class="when">
        <section class="calendar" aria-label={monthName}>
          <div class="months">
            {found.earlier === null ? (
              <span />
            ) : (
              <a class="button" href={urlOf({ month: found.earlier })} aria-label={texts.earlier}>
                ‹
              </a>
            )}
            <h2>{monthName}</h2>
            {found.later === null ? (
              <span />
            ) : (
              <a class="button" href={urlOf({ month: found.later })} aria-label={texts.later}>
                ›
              </a>
            )}
          </div>
          <Calendar {...props} />
        </section>
        <section class="times" id="times">
          {found.date === null ? (
            <NoTimes {...props} monthName={monthName} />
          ) : (
            <DayTimes {...props} date={found.date} />
          )}
          <p class="faint">{writeZone(texts, business.doc)}</p>
        </section>
      </div>
    </>
  );
};

const NoTimes = (props: TimesProps & { monthName: string }) => {
  const { shop, business, texts, found, urlOf, monthName } = props;
  const { timezone } = business.doc;
  return (
    <>
      <p>{fillText(texts.noneInMonth, { month: monthName })}</p>
      {found.next !== null && (
        <p>
          <a class="button primary" href={urlOf({ date: dateOf(found.next, timezone) })}>
            {fillText(texts.nextFree, { time: writeDateTime(shop, timezone, found.next) })}
          </a>
        </p>
      )}
    </>
  );
};

const dateOf = (ms: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString();

const nameMonth = (locale: string, month: string): string =>
  new Date(`${month}-01T00:00Z`).toLocaleString(locale, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });

/** The days of the month in weeks. The days with free times are links. */
const Calendar = ({ shop, texts, found, urlOf }: TimesProps) => {
  const { locale } = shop.format;
  const first = Temporal.PlainDate.from(`${found.month}-01`);
  const free = new Map(found.days.map(({ date, isFree }) => [date, isFree]));
  // The first of January 2024 was a Monday, so `weekday(1, …)` names Monday and `weekday(7, …)`
  // names Sunday.
  const weekday = (day: number, style: "short" | "long"): string =>
    new Date(Date.UTC(2024, 0, day)).toLocaleString(locale, { weekday: style, timeZone: "UTC" });
  const cells: (Temporal.PlainDate | null)[] = [
    ...Array.from({ length: first.dayOfWeek - 1 }, () => null),
    ...Array.from({ length: first.daysInMonth }, (_, i) => first.add({ days: i })),
  ];
  // The listed days begin today in the current month, and on the first day in a later month.
  const firstListed = found.days[0]?.date ?? "";
  // Past weeks are left out, because they would move the free days down on a phone.
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, i) =>
    Array.from({ length: 7 }, (_cell, day) => cells[i * 7 + day] ?? null),
  ).filter((week) => week.some((day) => day !== null && day.toString() >= firstListed));
  return (
    <table>
      <thead>
        <tr>
          {[1, 2, 3, 4, 5, 6, 7].map((day) => (
            <th scope="col" abbr={weekday(day, "long")}>
              {weekday(day, "short")}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr>
            {week.map((day) => {
              if (day === null) return <td />;
              const date = day.toString();
              return (
                <td>
                  {free.get(date) === true ? (
                    <a
                      href={`${urlOf({ date })}#times`}
                      aria-current={date === found.date ? "date" : undefined}
                      aria-label={fillText(texts.isFree, { date: shop.format.plainDate(date) })}
                    >
                      {day.day}
                    </a>
                  ) : (
                    <span>{day.day}</span>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** The parts of a day, with the hour at which each begins. */
const PARTS = [
  { name: "morning", from: 0 },
  { name: "afternoon", from: 12 },
  { name: "evening", from: 17 },
] as const;

const hourOf = (ms: number, timezone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).hour;

const DayTimes = (props: TimesProps & { date: string }) => {
  const { shop, business, texts, found, own, action, date, priceType } = props;
  const { timezone } = business.doc;
  const isOwnDay = own !== null && dateOf(own.startsAt, timezone) === date;
  const times = [
    ...found.times.filter(({ startsAt }) => startsAt !== own?.startsAt),
    ...(isOwnDay ? [own] : []),
  ].toSorted((a, b) => a.startsAt - b.startsAt);
  const partOfDay = ({ startsAt }: FreeTime): string =>
    PARTS.findLast(({ from }) => hourOf(startsAt, timezone) >= from)?.name ?? "morning";
  const pricesDiffer = new Set(times.map(({ totalCents }) => totalCents)).size > 1;
  return (
    <>
      <h2>{fillText(texts.timesOn, { date: shop.format.plainDate(date) })}</h2>
      {times.length === 0 && <p>{texts.noneOn}</p>}
      <form method="post" action={action}>
        {PARTS.map(({ name }) => {
          const ofPart = times.filter((time) => partOfDay(time) === name);
          return (
            ofPart.length > 0 && (
              <>
                <h3>{texts[name]}</h3>
                <div class="slots">
                  {ofPart.map((time) => (
                    <button type="submit" name="at" value={new Date(time.startsAt).toISOString()}>
                      {writeTime(shop, timezone, time.startsAt)}
                      {pricesDiffer && (
                        <span class="faint">
                          {writeTotalOfTime(props, priceType, time.totalCents)}
                        </span>
                      )}
                    </button>
                  ))}
                </div>
              </>
            )
          );
        })}
      </form>
    </>
  );
};
