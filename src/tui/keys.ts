/** A key as the reducer knows it: a printed character, or a name. */
export type Key = string;

/** What ink tells of a key that prints nothing. */
export type InkKey = Partial<
  Record<
    | "upArrow"
    | "downArrow"
    | "leftArrow"
    | "rightArrow"
    | "pageUp"
    | "pageDown"
    | "home"
    | "end"
    | "return"
    | "escape"
    | "tab"
    | "backspace"
    | "delete"
    | "ctrl"
    | "meta"
    | "shift",
    boolean
  >
>;

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
  // What most terminals send for backspace.
  ["delete", "backspace"],
] as const;

/** The keys of one chunk of input: what is typed fast, or pasted, arrives together. */
export function parseKeys(input: string, key: InkKey): Key[] {
  if (key.ctrl) return input === "c" ? ["ctrl-c"] : [];
  if (key.tab) return [key.shift ? "left" : "right"];
  const named = NAMES.find(([flag]) => key[flag]);
  if (named) return [named[1]];
  // Esc and a key in one chunk, from quick fingers or over a slow line, look like alt and that key. Nothing here uses alt.
  const before = key.meta ? ["esc"] : [];
  const typed = input
    .split(/[\r\n]/)
    .flatMap((line, i) => [...(i === 0 ? [] : ["enter"]), ...printableChars(line)]);
  return [...before, ...typed];
}

/** What of a text can be typed as a letter; a new line is none. */
export const printableChars = (text: string): Key[] =>
  Array.from(text).filter((char) => char.length > 1 || char >= " ");
