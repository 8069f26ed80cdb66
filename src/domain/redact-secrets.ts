// The patterns match secrets in plain text, escaped as JSON, URL-encoded, or cut off.
const EQUALS = String.raw`(?:=|%(?:25)*3D|\\u003d)`;
const BASE64 = String.raw`(?:[\w+/-]|\\/|%(?:25)*2[BF])`;

const SECRETS: [pattern: RegExp, replacement: string][] = [
  [new RegExp(`v1${EQUALS}[0-9a-f]{16,}`, "gi"), "v1=…"],
  [new RegExp(`v1(?:,|%(?:25)*2C)${BASE64}{16,}${EQUALS}?`, "gi"), "v1,…"],
  [new RegExp(`whsec_${BASE64}+${EQUALS}*`, "gi"), "whsec_…"],
  [/deskbell_([a-z]{2,3})_[\da-z]{6,}/gi, "deskbell_$1_…"],
];

/** A quick test: most texts have no secret, and the log redacts several fields of each request. */
const SECRET = /v1[=,%\\]|whsec_|deskbell_[a-z]{2,3}_/i;

/**
 * Redacts signatures, signing secrets, and tokens such as API keys (`deskbell_sk_…`). Some
 * receivers echo the request, and some clients put a key into a path or a User-Agent.
 */
export const redactSecrets = (text: string): string =>
  SECRET.test(text)
    ? SECRETS.reduce(
        (redacted, [pattern, replacement]) => redacted.replaceAll(pattern, replacement),
        text,
      )
    : text;
