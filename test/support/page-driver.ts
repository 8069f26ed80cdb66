import axeCore from "axe-core";
import { expect } from "vitest";
import type { ScriptedDocument } from "./browser.ts";

// Uses a page as its readers do, by the labels of fields and the names of buttons. The functions
// below run in the browser.

/** The part of the DOM that the functions below use. */
type Element = {
  innerText: string;
  value: string;
  control: Element | null;
  disabled?: boolean;
  click: () => void;
  dispatchEvent: (event: Event) => void;
};
declare const document: {
  /** Null while another page is being loaded. */
  body: Element | null;
  documentElement: { scrollWidth: number; clientWidth: number };
  activeElement: Element & { tagName: string };
  querySelectorAll: (selector: string) => Iterable<Element>;
};
declare const axe: {
  run: (options: {
    resultTypes: string[];
  }) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

async function setField(label: string, value: string): Promise<boolean> {
  const found = [...document.querySelectorAll("label")].find(({ innerText }) =>
    innerText.trim().startsWith(label),
  );
  const field = found?.control ?? null;
  if (field === null) return false;
  field.value = value;
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  return true;
}

async function clickNamed(name: string): Promise<boolean> {
  const found = [...document.querySelectorAll("button, a, summary")].find(
    ({ innerText, disabled }) => innerText.trim().startsWith(name) && disabled !== true,
  );
  found?.click();
  return found !== undefined;
}

const readBody = async () => document.body?.innerText ?? "";
const readFocus = async () =>
  `${document.activeElement.tagName} ${document.activeElement.innerText.trim().slice(0, 60)}`.trim();
const measureOverflow = async () =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth;
// axe lists only the violations, because describing the elements that pass would take much of the
// time.
const findViolations = async () =>
  (await axe.run({ resultTypes: ["violations"] })).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
  );

/** Returns functions that use a page by the names that its readers see. */
export const drive = (page: ScriptedDocument) => ({
  /** Writes or chooses a value in the field whose label begins with a text. */
  async fill(label: string, value: string): Promise<void> {
    const message = `field ${label}`;
    await expect.poll(() => page.run(setField, label, value), { message }).toBe(true);
  },
  /** Clicks the first button or link whose name begins with a text, once it is enabled. */
  async click(name: string): Promise<void> {
    const message = `button ${name}`;
    await expect.poll(() => page.run(clickNamed, name), { message }).toBe(true);
  },
  readText: () => page.run(readBody),
  async waitForText(text: string): Promise<void> {
    await expect.poll(() => page.run(readBody)).toContain(text);
  },
  /** The element that has the focus, such as `BUTTON Open`. */
  readFocus: () => page.run(readFocus),
  /** Returns by how many pixels the page is wider than its window. */
  measureOverflow: () => page.run(measureOverflow),
  /** The rules of axe that the page breaks, with the elements. */
  async findViolations(): Promise<string[]> {
    await page.load(axeCore.source);
    return page.run(findViolations);
  },
});
