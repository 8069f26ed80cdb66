import { fillText } from "../languages.ts";

/** The texts that a page with the times of a business passes to its script. */
export type TimeProps = { yourTime: string; language: string };

/**
 * Adds the time in the reader's zone below each time of a business in another zone, at the end of
 * the element around that time.
 */
export function addReadersTimes({ yourTime, language }: TimeProps): void {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-zone]")) {
    const date = new Date(element.dateTime);
    const write = (timeZone: string | undefined) =>
      date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short", timeZone });
    if (write(element.dataset["zone"]) === write(zone)) continue;
    const note = document.createElement("span");
    note.className = "faint line";
    note.textContent = fillText(yourTime, { time: write(zone) });
    element.parentElement?.append(note);
  }
}
