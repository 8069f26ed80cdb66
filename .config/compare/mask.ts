const ID = /\b[a-z]{2,4}_[0-9a-z]{20,30}\b/g;
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?/g;
const HEX = /\b[0-9a-f]{16,}\b/g;

/** Patterns of values that differ between two runs of one build, each with its replacement. */
const OTHERS: readonly [RegExp, string][] = [
  [/\bdeskbell_(\w+?)_[0-9a-f]{8,}/g, "deskbell_$1_<secret>"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_<secret>"],
  [/\breq_\w+/g, "req_<random>"],
  [/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/g, "<code>"],
  [/…[0-9a-z]{6}\b/g, "…<id>"],
  [/(?<=_…|"last4": ?"|last4\t)[\w-]{4}\b/g, "<last four>"],
  [TIME, "<time>"],
  [/\b1[78]\d{8}(\d{3})?\b/g, "<time>"],
  [/("feed_id": ?")[0-9a-f]{8}/g, "$1<random>"],
  [/\b(lfob|1)\.[0-9a-f]{8}\.[\w-]{10}(?=")/g, "$1.<random>"],
  [/"sequence": ?\d+/g, '"sequence": <number>'],
  [/\b\d{8}T\d{6,9}Z/g, "<time>"],
  [HEX, "<hex>"],
  [/(127\.0\.0\.1|localhost):\d{4,5}/g, "$1:<port>"],
  [/\b(in |after )?\d+(\.\d+)? ?(ms|s|min|h|KB|MB|GB)\b( ago)?/g, "<amount>"],
  [
    /("(?:pid|durationMs|bytes|uptimeSeconds|size\w*|free\w*|\w+Bytes|\w+Ms)": ?)\d+/g,
    "$1<number>",
  ],
  [/\b(pid|process) \d+/g, "$1 <number>"],
  [/[\w-]{43}(?==|\b)/g, "<random>"],
];

/**
 * Returns a function that masks a text. Each ID is replaced with its prefix and a number, which
 * counts the IDs of this text only: if the numbers counted over all texts, one new object would
 * rename many IDs.
 */
export const createMask =
  (folders: readonly string[]) =>
  (text: string): string => {
    const ids = new Map<string, string>();
    const nameId = (id: string): string => {
      const known = ids.get(id) ?? `${id.split("_")[0]}_<${ids.size + 1}>`;
      ids.set(id, known);
      return known;
    };
    const unplaced = folders.reduce((rest, folder) => rest.replaceAll(folder, "<folder>"), text);
    const masked = unplaced.replaceAll(ID, nameId);
    return OTHERS.reduce((result, [pattern, by]) => result.replaceAll(pattern, by), masked);
  };
