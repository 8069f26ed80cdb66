import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import {
  checkSignature,
  eventIdOf,
  signBody,
  type SignatureInput,
} from "../../../../src/features/partner-page/browser/signature.ts";
import {
  generateSecret,
  sign,
  signatureError,
  signingKey,
} from "../../../../src/domain/webhooks/webhook-post.ts";

const SECRET = generateSecret(randomBytes);
const OTHER_SECRET = generateSecret(randomBytes);
const SECONDS = 1_795_176_000;
const BODY =
  '{"id":"evt_06gzfjm44t8c9kf1ccbxp7rfg","type":"service.updated","data":{"name":"Cut"}}';
const ID = eventIdOf(BODY) ?? "";

const headerOf = (secret: string, body = BODY) =>
  sign([signingKey(secret)], ID, SECONDS, Buffer.from(body))["X-Service-Signature"];

const check = async (changes: Partial<SignatureInput>): Promise<string> => {
  const findings = await checkSignature({
    body: BODY,
    headers: headerOf(SECRET),
    secret: SECRET,
    original: null,
    nowMs: SECONDS * 1000,
    serverMs: SECONDS * 1000,
    ...changes,
  });
  return findings.map(({ isGood, text }) => `${isGood ? "right" : "wrong"}: ${text}`).join("\n");
};

const parsed = JSON.parse(BODY) as object;
const pretty = JSON.stringify(parsed, null, 2);
const sorted = JSON.stringify(Object.fromEntries(Object.entries(parsed).toReversed()));
const changed = BODY.replace("Cut", "Cup");

test.each<[what: string, changes: Partial<SignatureInput>, found: string]>([
  ["a right signature", {}, "right: The signature is right"],
  [
    "all headers",
    { headers: `POST /hook\nx-service-signature: ${headerOf(SECRET)}\nhost: x` },
    "right: ",
  ],
  [
    "one of two signatures",
    { headers: `${headerOf(OTHER_SECRET)},${headerOf(SECRET).split(",")[1]}` },
    "right: ",
  ],
  ["a secret with spaces", { secret: ` ${SECRET}\n` }, "right: "],
  ["another secret", { secret: OTHER_SECRET }, "wrong: Wrong secret"],
  [
    "another secret, and the body that was sent",
    { secret: OTHER_SECRET, original: BODY },
    "wrong: Wrong secret",
  ],
  ["an API key as the secret", { secret: "deskbell_rk_x" }, "wrong: This is an API key"],
  [
    "a secret without its prefix",
    { secret: SECRET.slice(6) },
    "wrong: The signing secret begins with whsec_",
  ],
  [
    "a part of a secret",
    { secret: SECRET.slice(0, -2) },
    "wrong: The secret has missing or additional",
  ],
  [
    "no secret",
    { secret: "", original: BODY },
    "right: The body is exactly the one that was sent.",
  ],
  ["an indented body", { body: pretty }, "wrong: The body was parsed and written again"],
  [
    "an indented body of a known event",
    { body: pretty, original: BODY },
    "wrong: The body was parsed and written again",
  ],
  [
    "fields in another order",
    { body: sorted, original: BODY },
    "it has the same data as the one that was sent",
  ],
  [
    "a changed value",
    { body: changed, original: BODY },
    "The body and the one that was sent differ at character 82",
  ],
  [
    "a changed value after an emoji",
    { body: '{"name":"😀","a":2}', original: '{"name":"😀","a":1}' },
    'at character 17: received …{"name":"😀","a":2}…',
  ],
  [
    "text after the body that was sent",
    { body: `${BODY}x`, original: BODY },
    `at character ${[...BODY].length + 1}:`,
  ],
  [
    "a changed value, and the right secret",
    { body: changed, original: BODY },
    "right: The secret is right",
  ],
  [
    "a line break at the end",
    { body: `${BODY}\n`, original: BODY },
    "wrong: The body has spaces or line breaks before or after",
  ],
  ["a body that is no JSON", { body: "hello" }, "wrong: The body is not the one that was signed"],
  ["no header", { headers: "" }, "wrong: Paste the header X-Service-Signature"],
  [
    "the header of Standard Webhooks",
    { headers: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=" },
    "wrong: This is the header webhook-signature",
  ],
  ["another text as the header", { headers: "hello" }, "wrong: No X-Service-Signature was found"],
  [
    "an old request",
    { nowMs: (SECONDS + 3600) * 1000, serverMs: null },
    "wrong: The signature was made 60 min ago",
  ],
  [
    "a request from the future",
    { nowMs: (SECONDS - 600) * 1000, serverMs: null },
    "wrong: The signature was made 10 min in the future",
  ],
  [
    "a wrong clock",
    { nowMs: (SECONDS + 7200) * 1000 },
    "wrong: The clock of this computer is 2 h ahead of the server's",
  ],
])("the check of a request finds what is right or wrong: %s", async (_what, changes, found) => {
  expect(await check(changes)).toContain(found);
});

test("a correct signature is reported as right, without further findings", async () => {
  expect((await check({})).split("\n")).toHaveLength(1);
});

test("the signature of a curl command is accepted as deskbell's own", async () => {
  const headers = await signBody({ body: BODY, secret: SECRET, seconds: String(SECONDS), id: ID });
  const own = sign([signingKey(SECRET)], ID, SECONDS, Buffer.from(BODY));
  expect({ ...headers, "webhook-id": ID }).toEqual(own);
  const error = signatureError(headers["X-Service-Signature"], Buffer.from(BODY), SECRET, SECONDS);
  expect(error).toBeUndefined();
  const now = String(Math.floor(Date.now() / 1000));
  const fresh = await signBody({ body: BODY, secret: SECRET, seconds: now, id: ID });
  const verified = new Webhook(SECRET).verify(BODY, { ...fresh, "webhook-id": ID });
  expect(verified).toMatchObject({ id: ID });
});
