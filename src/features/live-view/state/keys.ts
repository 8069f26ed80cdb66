import type { Key as InkKey } from "ink";

/** A printable character, or a name such as `up`, `enter` or `ctrl-c`. */
export type Key = string;

const NAMES = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pgup"],
  ["pageDown", "pgdn"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "esc"],
  ["backspace", "backspace"],
  // Most terminals send delete when the user presses backspace.
  ["delete", "backspace"],
] as const;

/** Splits a chunk of input into keys: fast typing and pasted text come in one chunk. */
export function parseKeys(input: string, key: Partial<InkKey>): Key[] {
  if (key.ctrl) return input === "c" ? ["ctrl-c"] : [];
  // Tab goes to the next tab of a delivery, as the right arrow does.
  if (key.tab) return [key.shift ? "left" : "right"];
  const named = NAMES.find(([flag]) => key[flag]);
  if (named) return [named[1]];
  // Esc and a key in one chunk look like alt with this key. No action has a key with alt, so the
  // chunk is read as Esc and the key.
  const escKey = key.meta ? ["esc"] : [];
  // The split leaves the separators at odd indices.
  const typed = input
    .split(/([\r\n\t])/)
    .flatMap((part, i) => (i % 2 === 0 ? printableChars(part) : part === "\t" ? "right" : "enter"));
  return [...escKey, ...typed];
}

/** Returns the characters of a text without control characters. */
export const printableChars = (text: string): Key[] =>
  Array.from(text).filter((char) => char >= " ");
