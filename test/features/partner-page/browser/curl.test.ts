import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { writeCurl } from "../../../../src/features/partner-page/browser/curl.ts";

const REQUEST = {
  url: "https://partner.example/hook?a='b'",
  headers: {
    "webhook-id": "evt_1",
    "X-Service-Signature": "t=1,v1=HIDDEN",
    "X-Service-Event": "x",
  },
  body: `{"name":"O'Neill $(touch /tmp/x) \u202e é"}`,
};

/** Returns the words that a shell passes to curl. */
const wordsOf = (command: string): string[] =>
  execFileSync("sh", ["-c", command.replace(/^curl /, "printf '%s\\n' ")])
    .toString()
    .split("\n");

test("the curl command is in ASCII only, and a shell passes its request on unchanged", async () => {
  const command = await writeCurl(REQUEST, "", 0);
  expect(command).toMatch(/^[\x20-\x7e\n]*$/);
  const words = wordsOf(command);
  expect(words).toContain(REQUEST.url);
  expect(words).toContain("X-Service-Signature: t=1,v1=HIDDEN");
  const body = words[words.indexOf("--data-raw") + 1] ?? "";
  expect(JSON.parse(body)).toEqual(JSON.parse(REQUEST.body));
});

test("the curl command contains a new signature of its body if the reader has entered the signing secret", async () => {
  const secret = `whsec_${"A".repeat(48)}`;
  const words = wordsOf(await writeCurl(REQUEST, secret, 1_795_176_000_000));
  expect(words.filter((word) => word.startsWith("X-Service-Signature"))).toEqual([
    expect.stringMatching(/^X-Service-Signature: t=1795176000,v1=[0-9a-f]{64}$/),
  ]);
});

test("the curl command for a deleted endpoint has a placeholder for the URL", async () => {
  expect(await writeCurl({ ...REQUEST, url: null }, "", 0)).toContain("https://YOUR-RECEIVER");
});
