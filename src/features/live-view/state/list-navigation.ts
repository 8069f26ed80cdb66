import type { Key } from "./keys.ts";
import type { ListWindow } from "./snapshot.ts";
import { FOLLOW_NEWEST, type ListPosition } from "./ui-state.ts";

/**
 * Returns the position of the list after a key, or undefined if the key does not move it. A move
 * stops following the newest delivery; the key G follows it again.
 */
export function moveList(
  position: ListPosition,
  key: Key,
  window: ListWindow,
  height: number,
): ListPosition | undefined {
  if (key === "G") return FOLLOW_NEWEST;
  const moves: Record<Key, [selectBy: number, scrollBy: number]> = {
    j: [1, 0],
    down: [1, 0],
    k: [-1, 0],
    up: [-1, 0],
    pgdn: [height, height],
    pgup: [-height, -height],
  };
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return move && moveBy(position, ...move, window, height);
}

/**
 * Moves the selection by `selectBy` rows and the visible part by `scrollBy` rows. Then scrolls the
 * visible part further if the selection is outside it.
 */
function moveBy(
  position: ListPosition,
  selectBy: number,
  scrollBy: number,
  window: ListWindow,
  height: number,
): ListPosition {
  const { rows, topIndex, reached } = window;
  const last = rows.length - 1;
  if (last < 0) return position;
  const from = selectedIndex(position, window);
  // A slow search stopped here: the next page begins after the last delivery that it read.
  if (selectBy > 0 && from === last && reached !== null)
    return { ...position, top: { id: reached, isIncluded: false }, selected: null, offset: null };
  const selected = clamp(from + selectBy, 0, last);
  // If fewer rows than `height` are left, the visible part does not scroll down.
  const lowestTop = Math.max(topIndex, rows.length - height);
  const scrolledTop = clamp(topIndex + scrollBy, 0, lowestTop);
  const top = clamp(scrolledTop, selected - height + 1, selected);
  const offset = position.offset === null ? null : position.offset + top - topIndex;
  const topId = rows[top]?.id ?? null;
  // A negative offset means that the list has scrolled to deliveries newer than `newestSeen`. The
  // first visible delivery then becomes `newestSeen`.
  const isAboveNewestSeen = offset !== null && offset < 0;
  const wasFollowing = position.top === null;
  const firstShownId = rows[topIndex]?.id ?? null;
  return {
    top: topId === null ? null : { id: topId, isIncluded: true },
    selected: rows[selected]?.id ?? null,
    offset: isAboveNewestSeen ? 0 : offset,
    newestSeen: wasFollowing ? firstShownId : isAboveNewestSeen ? topId : position.newestSeen,
  };
}

/** Returns the index of the selected delivery, or of the next older one if it has left the list. */
export function selectedIndex({ selected }: ListPosition, { rows, topIndex }: ListWindow): number {
  if (selected === null) return topIndex;
  // The IDs of later deliveries are greater, and the rows begin with the newest.
  const index = rows.findIndex(({ id }) => id <= selected);
  return Math.max(topIndex, index === -1 ? rows.length - 1 : index);
}

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);
