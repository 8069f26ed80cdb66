import { addReadersTimes } from "../../../pages/browser/readers-time.ts";
import { readProps } from "../../../pages/browser/start.ts";
import type { PageProps } from "../rules.ts";
import { answerWebsite } from "./frame.ts";

/**
 * Sends each form once, after which its button shows `data-busy`. The server books once even if a
 * form is sent twice.
 */
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

/**
 * Reloads a page that the browser shows from memory when the reader goes back: its form may have
 * made a visit since.
 */
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
const invalid = document.querySelector<HTMLElement>("[aria-invalid=true]");
if (frame?.isFirst !== true) (invalid ?? document.querySelector<HTMLElement>("h1"))?.focus();
