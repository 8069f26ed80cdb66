// As they are, in JSON of any kind, and in a URL. Those that were cut off, too.
const EQUALS = String.raw`(?:=|%3D|\\u003d)`;
const BASE64 = String.raw`(?:[\w+/-]|\\/|%2[BF])`;

const SECRETS: [pattern: RegExp, shown: string][] = [
  [new RegExp(`v1${EQUALS}[0-9a-f]{16,}`, "gi"), "v1=…"],
  [new RegExp(`v1(?:,|%2C)${BASE64}{16,}${EQUALS}?`, "gi"), "v1,…"],
  [new RegExp(`whsec_${BASE64}+${EQUALS}*`, "gi"), "whsec_…"],
  [/deskbell_([sr])k_\w+/gi, "deskbell_$1k_…"],
];

/** Blanks out signatures, signing secrets and keys: there are receivers that answer with what they were sent. */
export const redactSecrets = (text: string): string =>
  SECRETS.reduce((left, [pattern, shown]) => left.replaceAll(pattern, shown), text);
