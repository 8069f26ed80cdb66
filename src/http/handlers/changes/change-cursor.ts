import { hash } from "node:crypto";

const SHAPE = /^([0-9a-z]{1,11})\.([\w-]{10})$/;

/** A place in a business's feed: everything up to this sequence number is known. */
export function encodeChangeCursor(businessId: string, position: number): string {
  return `${position.toString(36)}.${checkOf(businessId, position)}`;
}

/** Undefined for anything that this feed has not given out itself. */
export function decodeChangeCursor(businessId: string, cursor: string): number | undefined {
  const [, digits = "", check] = SHAPE.exec(cursor) ?? [];
  const position = Number.parseInt(digits, 36);
  return check === checkOf(businessId, position) ? position : undefined;
}

const checkOf = (businessId: string, position: number): string =>
  hash("sha256", `changes ${businessId} ${position}`, "base64url").slice(0, 10);
