import { drawBorder } from "./border.ts";
import { fit, type StyledLine, sanitize, span, wrapWords } from "./cells.ts";
import { toAscii } from "./glyphs.ts";
import { stateName } from "./delivery-list.ts";
import type { Snapshot } from "./snapshot.ts";
import { FILTER_FIELDS, type UiState } from "./ui-state.ts";

/** Every key with what it does. The tests press each of them. */
export const KEY_HELP: readonly (readonly [string, string])[] = [
  ["j k ↑ ↓ pgup pgdn", "move; moving ends following"],
  ["g G end", "the newest; follow the newest; the oldest"],
  ["⏎", "open a delivery, 1-4 ← → its tabs"],
  ["esc", "one level back, never out"],
  ["r", "send this delivery again"],
  ["R", "send all that f and / find again"],
  ["f", "filter: state, endpoint, event, business"],
  ["/", "search: an id, an endpoint, an event type"],
  ["e", "endpoints; ⏎ shows one's deliveries"],
  ["t", "send a test event to the endpoint"],
  ["y", "copy the id"],
  ["space", "hold the screen still, and go on"],
  ["q ctrl-c", "quit"],
];

const NOTES = [
  "ok and fail count attempts, a column a minute.",
  "pending is all that is owed; retrying is what of it failed before.",
  "p50, p95: the last 1 000 attempts within the hour.",
  "success: of the attempts of the hour.",
  "t/o ref dns tls blk: timed out, refused, no address,",
  "TLS failed, blocked address.",
];

const KEY_CELLS = 18;

export function renderHelp(zone: string, isAscii: boolean, width: number): StyledLine[] {
  // Before it is set out in columns: the name of a key may be longer than its sign.
  const named = (text: string) => (isAscii ? toAscii(text) : text);
  const margin = KEY_CELLS + 2;
  const keys = KEY_HELP.flatMap(([key, what]) =>
    wrapWords(named(what), width - margin).map((part, i): StyledLine => [
      span(i === 0 ? ` ${fit(named(key), KEY_CELLS)} ` : " ".repeat(margin), { bold: true }),
      span(part),
    ]),
  );
  const notes = [...NOTES, `Times are those of ${zone}.`].flatMap((note) =>
    wrapWords(note, width - 1),
  );
  return [...keys, [], ...notes.map((note): StyledLine => [span(` ${note}`, { dim: true })])];
}

/** The filter with a choice in each row. */
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
