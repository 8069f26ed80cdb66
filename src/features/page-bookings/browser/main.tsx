import { fillText } from "../../../pages/languages.ts";
import { readProps } from "../../../pages/browser/start.ts";
import type { PageProps } from "../rules.ts";
import { answerWebsite } from "./frame.ts";

/** Adds the time in the reader's zone to a time of a business in another zone. */
function addReadersTimes({ yourTime, language }: PageProps): void {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-zone]")) {
    const date = new Date(element.dateTime);
    const write = (timeZone: string | undefined) =>
      date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short", timeZone });
    if (write(element.dataset["zone"]) === write(zone)) continue;
    const note = document.createElement("span");
    note.className = "faint line";
    note.textContent = fillText(yourTime, { time: write(zone) });
    element.after(note);
  }
}

/** Sends each form once: the button shows that it is being sent. The server does the same. */
function sendFormsOnce(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-once]"))
    form.addEventListener("submit", (event) => {
      const button = form.querySelector<HTMLButtonElement>("button[data-busy]");
      if (button === null) return;
      if (button.getAttribute("aria-disabled") === "true") event.preventDefault();
      button.setAttribute("aria-disabled", "true");
      button.textContent = button.dataset["busy"] ?? button.textContent;
    });
}

/** Reloads a page that the browser has kept: its form may have made a visit since. */
function reloadKeptPages(): void {
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
  });
}

const props = readProps<PageProps>();
const { frame } = props;
addReadersTimes(props);
reloadKeptPages();
sendFormsOnce();
if (frame !== undefined) answerWebsite(frame);
if (frame?.isFirst !== true) document.querySelector<HTMLElement>("[role=alert], h1")?.focus();
