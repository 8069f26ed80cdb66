import { hash } from "node:crypto";

const CURSOR = /^([0-9a-z]{1,11})\.([\w-]{10})$/;

/** A cursor to the events of a business after `position`, a sequence number. */
export function encodeChangeCursor(businessId: string, position: number): string {
  return `${position.toString(36)}.${checksum(businessId, position)}`;
}

/** Returns undefined if the cursor was not issued by this feed. */
export function decodeChangeCursor(businessId: string, cursor: string): number | undefined {
  const [, digits = "", sum] = CURSOR.exec(cursor) ?? [];
  const position = Number.parseInt(digits, 36);
  return sum === checksum(businessId, position) ? position : undefined;
}

const checksum = (businessId: string, position: number): string =>
  hash("sha256", `changes ${businessId} ${position}`, "base64url").slice(0, 10);
