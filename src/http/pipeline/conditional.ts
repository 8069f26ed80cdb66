import { hash } from "node:crypto";

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

const withoutWeakPrefix = (etag: string): string => (etag.startsWith("W/") ? etag.slice(2) : etag);

/** A weak ETag made from the hash of a body. */
export const etagOf = (body: Buffer): string =>
  `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`;

/** Whether If-None-Match, a list or `*`, matches by weak comparison (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some(
    (candidate) => withoutWeakPrefix(candidate) === withoutWeakPrefix(etag),
  );
}

export const acceptsGzip = createAccepts("gzip", "x-gzip");
export const acceptsBrotli = createAccepts("br");

function createAccepts(...names: string[]): (acceptEncoding: string | undefined) => boolean {
  // Remembers the last value: most requests send the same one.
  let last: { acceptEncoding: string; accepted: boolean } | undefined;
  return (acceptEncoding) => {
    if (acceptEncoding === undefined) return false;
    if (last?.acceptEncoding !== acceptEncoding)
      last = { acceptEncoding, accepted: accepts(acceptEncoding, names) };
    return last.accepted;
  };
}

/** Whether Accept-Encoding lists one of the names, or `*`, without q=0. A name overrides `*`. */
function accepts(acceptEncoding: string, names: readonly string[]): boolean {
  let acceptsAny = false;
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((piece) => piece.trim());
    const isExcluded = parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    if (name !== undefined && names.includes(name)) return !isExcluded;
    if (name === "*") acceptsAny = !isExcluded;
  }
  return acceptsAny;
}
