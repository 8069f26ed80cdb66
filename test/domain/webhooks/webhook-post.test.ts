import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import {
  generateSecret,
  signatureError,
  sign,
  signingKey,
} from "../../../src/domain/webhooks/webhook-post.ts";

const SECRET = `whsec_${"Ab1".repeat(16)}`;
const OLD_SECRET = `whsec_${"Zz9".repeat(16)}`;
const BODY = Buffer.from('{"name":"Maniküre"}');
const T = 1_763_615_045;
const signature = (secrets = [SECRET]) =>
  sign(secrets.map(signingKey), "evt_1", T, BODY)["X-Service-Signature"];

test("a signing secret is whsec_ and 48 letters and digits", () => {
  for (let i = 0; i < 50; i++)
    expect(generateSecret(randomBytes)).toMatch(/^whsec_[A-Za-z0-9]{48}$/);
});

test("the v1 signature is over timestamp, dot and body, with the whole secret as key", () => {
  const expected = createHmac("sha256", SECRET).update(`${T}.`).update(BODY).digest("hex");
  expect(signature()).toBe(`t=${T},v1=${expected}`);
});

test("during a rotation both signature headers carry the new signature first", () => {
  const headers = sign([SECRET, OLD_SECRET].map(signingKey), "evt_1", T, BODY);
  const old = sign([signingKey(OLD_SECRET)], "evt_1", T, BODY);
  expect(headers["X-Service-Signature"]).toBe(
    `${signature()},${old["X-Service-Signature"].slice(`t=${T},`.length)}`,
  );
  expect(headers["webhook-signature"].split(" ")[1]).toBe(old["webhook-signature"]);
  expect(signatureError(headers["X-Service-Signature"], BODY, OLD_SECRET, T)).toBeUndefined();
  expect(signatureError(headers["X-Service-Signature"], BODY, SECRET, T)).toBeUndefined();
});

test.each([
  {
    name: "as sent",
    header: signature(),
    body: BODY,
    secret: SECRET,
    at: T,
    expected: /^valid$/,
  },
  {
    name: "300 s late",
    header: signature(),
    body: BODY,
    secret: SECRET,
    at: T + 300,
    expected: /^valid$/,
  },
  {
    name: "301 s late",
    header: signature(),
    body: BODY,
    secret: SECRET,
    at: T + 301,
    expected: /timestamp/,
  },
  {
    name: "from the future",
    header: signature(),
    body: BODY,
    secret: SECRET,
    at: T - 301,
    expected: /timestamp/,
  },
  {
    name: "with another secret",
    header: signature(),
    body: BODY,
    secret: OLD_SECRET,
    at: T,
    expected: /no v1/,
  },
  {
    name: "with a changed body",
    header: signature(),
    body: Buffer.from("{}"),
    secret: SECRET,
    at: T,
    expected: /no v1/,
  },
  {
    name: "with a changed timestamp",
    header: signature().replace("t=1", "t=2"),
    body: BODY,
    secret: SECRET,
    at: T,
    expected: /^no v1 signature matches: .*; and the timestamp is more than 300 s from now$/,
  },
  {
    name: "cut short",
    header: signature().slice(0, -1),
    body: BODY,
    secret: SECRET,
    at: T,
    expected: /no v1/,
  },
  { name: "without v1", header: `t=${T}`, body: BODY, secret: SECRET, at: T, expected: /no v1/ },
  {
    name: "without a timestamp",
    header: "v1=00",
    body: BODY,
    secret: SECRET,
    at: T,
    expected: /no timestamp/,
  },
  {
    name: "without the header",
    header: undefined,
    body: BODY,
    secret: SECRET,
    at: T,
    expected: /no X-Service/,
  },
])("the check of a signature $name returns $expected", ({ header, body, secret, at, expected }) => {
  expect(signatureError(header, body, secret, at) ?? "valid").toMatch(expected);
});
