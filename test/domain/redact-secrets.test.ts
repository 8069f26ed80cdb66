import { expect, test } from "vitest";
import { redactSecrets } from "../../src/domain/redact-secrets.ts";
import { generateSecret, sign, signingKey } from "../../src/domain/webhooks/webhook-post.ts";

const secret = generateSecret((bytes) => Buffer.alloc(bytes, 7));
const other = generateSecret((bytes) => Buffer.alloc(bytes, 9));
// Headers have two signatures of each kind during a rotation.
const headers = sign(
  [signingKey(secret), signingKey(other)],
  "evt_1",
  1_763_615_045,
  Buffer.from("{}"),
);
const hex = [...headers["X-Service-Signature"].matchAll(/v1=(\w+)/g)].map(([, text = ""]) => text);
const base64 = [...headers["webhook-signature"].matchAll(/v1,(\S+)/g)].map(([, text = ""]) => text);

const encodings: { how: string; write: (text: string) => string }[] = [
  { how: "as plain text", write: (text) => text },
  { how: "in JSON", write: JSON.stringify },
  { how: "in PHP's JSON", write: (text) => JSON.stringify(text).replaceAll("/", "\\/") },
  { how: "in Gson's JSON", write: (text) => JSON.stringify(text).replaceAll("=", "\\u003d") },
  { how: "in a URL", write: encodeURIComponent },
  { how: "in capitals", write: (text) => text.toUpperCase() },
];

test.each(encodings)("signatures and secrets echoed $how are redacted", ({ write }) => {
  expect([hex.length, base64.length]).toEqual([2, 2]);
  const sent = `${Object.values(headers).join(" ")} ${secret} deskbell_sk_0123abc deskbell_cal_89abcdef`;
  const kept = redactSecrets(`You said ${write(sent)}.`);
  for (const text of [...hex, ...base64, secret.slice(6), "0123abc", "89abcdef"]) {
    expect(kept).not.toContain(write(text).replaceAll('"', ""));
    // A prefix of a secret is not kept either.
    expect(kept).not.toContain(write(text).replaceAll('"', "").slice(0, 12));
  }
  expect(kept).toMatch(/^You said .*\.$/);
});

test("truncated signatures and secrets are redacted", () => {
  expect(redactSecrets(`v1=${hex[0]?.slice(0, 20)}`)).toBe("v1=…");
  expect(redactSecrets(`v1,${base64[0]?.slice(0, 20)}`)).toBe("v1,…");
  expect(redactSecrets(secret.slice(0, 20))).toBe("whsec_…");
});

test.each([
  "",
  "ok",
  '{"ok":true,"api":"v1","next":"/v1/orders?v1=2"}',
  "set your whsec_… first",
  "t=1763615045 sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
])("text without a secret is not changed by the redaction: %j", (text) => {
  expect(redactSecrets(text)).toBe(text);
});

test("long hostile responses are redacted within two seconds of CPU time", () => {
  // CPU time is measured, because other programs may use the machine too.
  const before = process.threadCpuUsage();
  for (const piece of ["v1,", "v1=", "whsec_", "v1,\\/", "v1%3", "%2", "whsec_%2"])
    redactSecrets(piece.repeat(100_000));
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2000);
});
