import { AppError } from "../../domain/errors.ts";
import { IGNORED } from "./parameters.ts";

/**
 * The position of the last object of a page; the next page has those that sort after it, even if it
 * is gone.
 */
export type CursorPosition = { sortOrder: number; id: string };

type Listed = { id: string; sortOrder: number };

const isAfter = (object: Listed, position: CursorPosition): boolean =>
  object.sortOrder > position.sortOrder ||
  (object.sortOrder === position.sortOrder && object.id > position.id);

export const encodeCursor = (list: string, { sortOrder, id }: CursorPosition): string =>
  Buffer.from(JSON.stringify([list, sortOrder, id])).toString("base64url");

/** @throws AppError invalid_cursor if the cursor was not issued by this list */
export function decodeCursor(list: string, cursor: string): CursorPosition {
  try {
    const [cursorList, sortOrder, id] = JSON.parse(
      Buffer.from(cursor, "base64url").toString(),
    ) as unknown[];
    if (cursorList === list && typeof sortOrder === "number" && typeof id === "string")
      return { sortOrder, id };
  } catch {
    // Text that is not a cursor is reported below.
  }
  const detail = "'cursor' was not issued by this list.";
  throw new AppError("invalid_cursor", detail, {
    issues: [{ parameter: "cursor", code: "invalid_cursor", detail }],
  });
}

/** Leaves out ignored parameters: a cached response has the link of its first client. */
export function linkToNext(url: string, search: string, cursor: string): string {
  const query = new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name]) => !IGNORED.test(name)),
  );
  query.set("cursor", cursor);
  return `<${url}?${query}>; rel="next"`;
}

export type Page<T> = { objects: T[]; nextCursor: string | null };

export function paginate<T extends Listed>(
  list: string,
  objects: readonly T[],
  limit: number | undefined,
  cursor: string | undefined,
): Page<T> {
  const after = cursor === undefined ? undefined : decodeCursor(list, cursor);
  const rest = after ? objects.filter((object) => isAfter(object, after)) : [...objects];
  const last = limit !== undefined && rest.length > limit ? rest[limit - 1] : undefined;
  if (!last) return { objects: rest, nextCursor: null };
  return { objects: rest.slice(0, limit), nextCursor: encodeCursor(list, last) };
}
