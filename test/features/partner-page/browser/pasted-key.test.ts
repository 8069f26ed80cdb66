import { expect, test } from "vitest";
import { generateApiKey } from "../../../../src/domain/api-key.ts";
import { createSeededRandom } from "../../../../src/domain/seeded-random.ts";
import { readPastedKey } from "../../../../src/features/partner-page/browser/pasted-key.ts";

const random = createSeededRandom(1);
const bytes = (count: number) => Uint8Array.from({ length: count }, () => random.integer(0, 255));
const restricted = generateApiKey("RESTRICTED", bytes);
const secret = generateApiKey("SECRET", bytes);

test.each([
  restricted,
  ` ${restricted}\n`,
  `Bearer ${restricted}`,
  `Authorization: Bearer ${restricted}`,
])("a restricted key is taken from %s", (pasted) => {
  expect(readPastedKey(pasted)).toEqual({ isUsable: true, key: restricted });
});

test.each([
  [secret, "This is a secret key. It was not sent."],
  [`Authorization: Bearer ${secret}`, "This is a secret key."],
  [`curl -H "Authorization: Bearer ${secret}"`, "This is a secret key."],
  [`${restricted} ${secret}`, "This is a secret key."],
  ["whsec_abc", "This is a signing secret"],
  ["", "Paste an API key first."],
  ["hello", "This is not an API key."],
  [restricted.slice(0, -1), "This key has missing or additional characters."],
  [`${restricted}x`, "This key has missing or additional characters."],
])("the text %s is refused", (pasted, message) => {
  const read = readPastedKey(pasted);
  expect(read).toMatchObject({ isUsable: false, fix: expect.stringMatching(/\.$/) });
  expect(read).toHaveProperty("message", expect.stringContaining(message));
});
