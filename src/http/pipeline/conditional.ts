import { hash } from "node:crypto";

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

const opaque = (tag: string): string => (tag.startsWith("W/") ? tag.slice(2) : tag);

/** The ETag of whatever these bytes are an answer to. */
export const tagOf = (body: Buffer): string =>
  `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`;

/** If-None-Match: a list, or `*`, compared weakly (RFC 9110, 13.1.2). */
export function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some((tag) => opaque(tag) === opaque(etag));
}

export const acceptsGzip = createAccepts("gzip", "x-gzip");
export const acceptsBrotli = createAccepts("br");

function createAccepts(...names: string[]): (acceptEncoding: string | undefined) => boolean {
  // Most send what the one before sent.
  let last: { acceptEncoding: string; accepted: boolean } | undefined;
  return (acceptEncoding) => {
    if (acceptEncoding === undefined) return false;
    if (last?.acceptEncoding !== acceptEncoding)
      last = { acceptEncoding, accepted: accepts(acceptEncoding, names) };
    return last.accepted;
  };
}

/** Accept-Encoding: one of the names, or `*` that covers it, and not refused with q=0. */
function accepts(acceptEncoding: string, names: readonly string[]): boolean {
  let byStar = false;
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((piece) => piece.trim());
    const refused = parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    if (name !== undefined && names.includes(name)) return !refused;
    if (name === "*") byStar = !refused;
  }
  return byStar;
}
