import type { Key } from "./keys.ts";
import type { ListWindow } from "./snapshot.ts";
import { FOLLOW_NEWEST, type ListPosition } from "./ui-state.ts";

/** Where a key takes the list; undefined: it does not move it. Moving ends following; only G takes it up again. */
export function moveList(
  place: ListPosition,
  key: Key,
  window: ListWindow,
  height: number,
): ListPosition | undefined {
  switch (key) {
    case "G":
      return FOLLOW_NEWEST;
    case "j":
    case "down":
      return moveBy(place, 1, 0, window, height);
    case "k":
    case "up":
      return moveBy(place, -1, 0, window, height);
    case "pgdn":
      return moveBy(place, height, height, window, height);
    case "pgup":
      return moveBy(place, -height, -height, window, height);
    default:
      return undefined;
  }
}

function moveBy(
  place: ListPosition,
  by: number,
  scrollBy: number,
  window: ListWindow,
  height: number,
): ListPosition {
  const { rows, topIndex, reached } = window;
  const last = rows.length - 1;
  if (last < 0) return place;
  const from = selectedIndex(place, window);
  // The search stopped here: go on with what it has not looked at.
  if (by > 0 && from === last && reached !== null)
    return { ...place, top: { id: reached, isIncluded: false }, selected: null, offset: null };
  const selected = clamp(from + by, 0, last);
  const lowestTop = Math.max(topIndex, rows.length - height);
  const scrolledTop = clamp(topIndex + scrollBy, 0, lowestTop);
  const top = clamp(scrolledTop, selected - height + 1, selected);
  const offset = place.offset === null ? null : place.offset + top - topIndex;
  const topId = rows[top]?.id ?? null;
  // Above what was there when following ended: what is new is counted from here.
  const isAmongNewer = offset !== null && offset < 0;
  return {
    top: topId === null ? null : { id: topId, isIncluded: true },
    selected: rows[selected]?.id ?? null,
    offset: isAmongNewer ? 0 : offset,
    newestSeen:
      place.top === null ? (rows[topIndex]?.id ?? null) : isAmongNewer ? topId : place.newestSeen,
  };
}

/** The row under the cursor. When that one has left the list, by a filter say, the next older one has taken its place. */
export function selectedIndex({ selected }: ListPosition, { rows, topIndex }: ListWindow): number {
  if (selected === null) return topIndex;
  const at = rows.findIndex(({ id }) => id <= selected);
  return Math.max(topIndex, at === -1 ? rows.length - 1 : at);
}

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);
