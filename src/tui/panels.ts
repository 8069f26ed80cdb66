import { drawBorder, fit, type StyledLine, sanitize, span, wrapWords, toAscii } from "./cells.ts";
import { stateName } from "./delivery-list.ts";
import type { Snapshot } from "./snapshot.ts";
import { FILTER_FIELDS, type UiState } from "./ui-state.ts";

export const KEY_HELP: readonly (readonly [string, string])[] = [
  ["j k ↑ ↓ pgup pgdn", "move (stops following the newest)"],
  ["g G end", "newest; follow the newest; oldest"],
  ["⏎", "open a delivery; 1-4 ← → switch its tabs"],
  ["esc", "go back one level"],
  ["r", "redeliver this delivery"],
  ["R", "redeliver all deliveries in the filtered list"],
  ["f", "filter by state, endpoint, event or business"],
  ["/", "search by ID, endpoint or event type"],
  ["e", "endpoints; ⏎ shows the deliveries of one"],
  ["t", "send a test event to the endpoint"],
  ["y", "copy the ID"],
  ["space", "pause or resume the display"],
  ["q ctrl-c", "quit"],
];

const NOTES = [
  "ok, fail: attempts per minute.",
  "pending: waiting to be delivered; retrying: those that failed before.",
  "p50, p95: response time of the last 1 000 attempts within the hour.",
  "success: share of the attempts of the last hour.",
  "t/o ref dns tls blk: timed out, connection refused, DNS failure, TLS failure, blocked address.",
];

const KEY_CELLS = 18;

export function renderHelp(zone: string, isAscii: boolean, width: number): StyledLine[] {
  // Replace glyphs before the columns are laid out: "enter" is wider than its glyph.
  const named = (text: string) => (isAscii ? toAscii(text) : text);
  const margin = KEY_CELLS + 2;
  const keys = KEY_HELP.flatMap(([key, action]) =>
    wrapWords(named(action), width - margin).map((part, i): StyledLine => [
      span(i === 0 ? ` ${fit(named(key), KEY_CELLS)} ` : " ".repeat(margin), { bold: true }),
      span(part),
    ]),
  );
  const notes = [...NOTES, `Times are in ${zone}.`].flatMap((note) => wrapWords(note, width - 1));
  return [...keys, [], ...notes.map((note): StyledLine => [span(` ${note}`, { dim: true })])];
}

export function renderFilterPanel(
  { filter }: UiState,
  row: number,
  snapshot: Snapshot,
  width: number,
): StyledLine[] {
  const endpoint = snapshot.endpoints.find(({ id }) => id === filter.endpointId);
  const business = snapshot.businesses.find(({ id }) => id === filter.businessId);
  const shown: Record<(typeof FILTER_FIELDS)[number], [string, string | undefined]> = {
    state: ["state", filter.state && stateName(filter.state)],
    endpointId: ["endpoint", endpoint?.name ?? filter.endpointId],
    eventType: ["event", filter.eventType],
    businessId: ["business", business?.slug ?? filter.businessId],
  };
  const lines = FILTER_FIELDS.map((name, i): StyledLine => {
    const [label, value] = shown[name];
    const line = [
      span(i === row ? "▸" : " ", { bold: true }),
      span(fit(label, 10), { dim: true }),
      span(i === row ? "← " : "  "),
      span(
        sanitize(value ?? "any", width - 20),
        value === undefined ? {} : { colour: "cyan", bold: true },
      ),
      span(i === row ? " →" : ""),
    ];
    return line;
  });
  return drawBorder({ title: [span("filter")], width, height: FILTER_FIELDS.length + 2 }, lines);
}
