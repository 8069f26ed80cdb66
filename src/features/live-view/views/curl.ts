import { shellQuote } from "../../../domain/text.ts";
import { type StyledLine, span } from "./cells.ts";
import { sentHeaders } from "../../../app/webhooks/sent-request.ts";
import type { DeliveryDetail } from "../state/snapshot.ts";

/**
 * Returns a command that posts the event to its endpoint, as lines for a shell. Placeholders stand
 * for signatures, because signing secrets stay on the server. All characters are ASCII, so that a
 * terminal shows exactly what is copied: other characters become escapes of JSON.
 * @param width the longest line; a longer word continues on the next line
 */
export function curlCommand(detail: DeliveryDetail, width = Infinity): string[] {
  const { row, event, attempts } = detail;
  if (event === null) return [];
  const headers = Object.entries(sentHeaders(row, event, attempts.at(-1), "SIGNATURE"));
  const words: [flag: string, value: string][] = [
    ["--url", URL.parse(row.url)?.href ?? row.url],
    ...headers.map(([name, value]): [string, string] => ["--header", `${name}: ${value}`]),
    ["--data-raw", event.body.toString()],
  ];
  const lines = words.map(([flag, value]) =>
    fold(`  ${flag} `, escapeNonAscii(value), width - END.length).join("\n"),
  );
  return ["curl --include --globoff", ...lines].join(`${END}\n`).split("\n");
}

/** The end of a line that the shell joins with the next one. */
const END = " \\";

/**
 * Quotes a word, in lines of at most `width`. A backslash without a space before it continues the
 * word on the next line.
 */
function fold(start: string, text: string, width: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  // Each piece has a quote at each end.
  let used = start.length + 2;
  for (let i = 0; i < text.length; i++) {
    const cells = text[i] === "'" ? QUOTED_QUOTE : 1;
    if (used + cells > width && i > from) {
      pieces.push(text.slice(from, i));
      from = i;
      used = 2;
    }
    used += cells;
  }
  pieces.push(text.slice(from));
  const last = pieces.length - 1;
  return pieces.map(
    (piece, i) => `${i === 0 ? start : ""}${shellQuote(piece)}${i === last ? "" : "\\"}`,
  );
}

/** The length of a single quote in a quoted word. */
const QUOTED_QUOTE = "'\\''".length;

const escapeNonAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The lines that were drawn last, because each key that scrolls draws them again. */
const cache = new WeakMap<DeliveryDetail, { width: number; lines: StyledLine[] }>();

export function renderCurl(detail: DeliveryDetail | null, width: number): StyledLine[] {
  if (!detail?.event) return [[span(" The event has been deleted.", { dim: true })]];
  const cached = cache.get(detail);
  if (cached?.width === width) return cached.lines;
  const lines = curlCommand(detail, width).map((line) => [span(line)]);
  cache.set(detail, { width, lines });
  return lines;
}
