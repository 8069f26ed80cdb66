/** @jsxImportSource preact */
import { WEEK } from "../../../domain/catalog/common.ts";
import { minutesOf } from "../../../domain/local-time.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Shop } from "../content.ts";
import { dateIn } from "../format.ts";
import { Outside } from "./frame.tsx";

/** Whether the business is open now, and when that changes. */
export const OpenState = ({ shop }: { shop: Shop }) => {
  const { texts, format, opening, now } = shop;
  const { isOpen, changesAt } = opening;
  if (isOpen === null) return null;
  const time = changesAt === null ? "" : format.time(changesAt);
  if (isOpen)
    return (
      <p class="state is-open">
        {changesAt === null ? texts.open : fillText(texts.openUntil, { time })}
      </p>
    );
  const isToday = changesAt !== null && format.longDate(changesAt) === format.longDate(now);
  return (
    <p class="state">
      {changesAt === null
        ? texts.closed
        : isToday
          ? fillText(texts.opensAt, { time })
          : fillText(texts.opensOn, { day: format.shortDate(changesAt), time })}
    </p>
  );
};

/** Returns the regular hours that apply now. */
const rulesOf = ({ profile }: Shop, today: string) =>
  profile.openingHours.regular.filter(
    ({ validFrom, validTo }) =>
      (validFrom === null || validFrom <= today) && (validTo === null || today <= validTo),
  );

/** Returns whether the page lists hours. */
export const hasHours = (shop: Shop): boolean =>
  shop.specialDays.length > 0 ||
  rulesOf(shop, dateIn(shop.profile.timezone, shop.now).date).length > 0;

/** The hours of each weekday, and the days with other hours. */
export const Hours = ({ shop }: { shop: Shop }) => {
  const { texts, format, profile, specialDays, now } = shop;
  const today = dateIn(profile.timezone, now);
  const rules = rulesOf(shop, today.date);
  if (!hasHours(shop)) return null;
  return (
    <section class="card" id="hours">
      <h2>{texts.hours}</h2>
      <table class="hours">
        <tbody>
          {WEEK.map((day) => {
            const hours = rules
              .filter(({ days }) => days.includes(day))
              .map(({ start, end }) => ({ start: minutesOf(start), end: minutesOf(end) }))
              .sort((a, b) => a.start - b.start)
              .map(({ start, end }) => format.hours(start, end));
            return (
              <tr class={day === today.weekday ? "today" : undefined}>
                <th scope="row">{format.weekday(day)}</th>
                <td>{hours.length === 0 ? texts.closed : hours.map((one) => <div>{one}</div>)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {specialDays.length > 0 && (
        <>
          <h3>{texts.specialHours}</h3>
          <ul class="special">
            {specialDays.map(({ from, to, name, hours }) => (
              <li>
                <span>
                  {from === to
                    ? format.plainDate(from)
                    : fillText(texts.to, {
                        from: format.plainDate(from),
                        to: format.plainDate(to),
                      })}
                  {name !== null && (
                    <>
                      {" · "}
                      <Outside shop={shop} text={name} />
                    </>
                  )}
                </span>{" "}
                <span class="faint">
                  {hours.length === 0
                    ? texts.closed
                    : hours.map(({ start, end }) => format.hours(start, end)).join(", ")}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
};
