import { fillText } from "../../../pages/languages.ts";
import { readProps } from "../../../pages/browser/start.ts";

/** The texts that a page passes to its script. */
type Props = { yourTime: string; language: string };

/** Adds the time in the reader's zone to the times of a page in another zone. */
function addReadersTimes({ yourTime, language }: Props): void {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-zone]")) {
    const date = new Date(element.dateTime);
    const write = (timeZone: string | undefined) =>
      date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short", timeZone });
    if (write(element.dataset["zone"]) === write(zone)) continue;
    const note = document.createElement("span");
    note.className = "faint";
    note.textContent = ` (${fillText(yourTime, { time: write(zone) })})`;
    element.parentElement?.append(note);
  }
}

addReadersTimes(readProps<Props>());
