/** @jsxImportSource preact */
import { fillText } from "../../../pages/languages.ts";
import type { Shop } from "../content/content.ts";
import { dateIn } from "../format.ts";
import { hasHours, listWeeklyHours, writeDayHours } from "../content/weekly-hours.ts";
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

/** The hours of each weekday, and the days with other hours. */
export const Hours = ({ shop }: { shop: Shop }) => {
  const { texts, format, profile, specialDays, now } = shop;
  const { weekday: today } = dateIn(profile.timezone, now);
  if (!hasHours(shop)) return null;
  return (
    <section class="card" id="hours">
      <h2>{texts.hours}</h2>
      <table class="hours">
        <tbody>
          {listWeeklyHours(shop).map(({ day, hours }) => (
            <tr class={day === today ? "today" : undefined}>
              <th scope="row">{format.weekday(day)}</th>
              <td>
                {writeDayHours(shop, hours).map((line) => (
                  <div>
                    {line.hours}
                    {line.validity !== "" && (
                      <>
                        {" "}
                        <span class="faint">{line.validity}</span>
                      </>
                    )}
                  </div>
                ))}
              </td>
            </tr>
          ))}
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
