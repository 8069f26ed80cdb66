import { createCipheriv, createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { decryptTogether, type SealedRow } from "../../src/platform/gcm-batch.ts";

const key = createSecretKey(randomBytes(32));

function encrypt(text: string, id: string): SealedRow {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(id));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return { id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), body]) };
}

/**
 * Lengths around one and two blocks of 16 bytes. The last length needs a block counter of more than
 * one byte.
 */
const LENGTHS = [0, 1, 15, 16, 17, 31, 32, 33, 200, 5000];
const texts = LENGTHS.flatMap((length) => ["a", "é", "髪"].map((letter) => letter.repeat(length)));
const rows = texts.map((text, i) => encrypt(text, "guest é ".repeat(i % 7)));

/**
 * Returns the row with a flipped bit at this position: nonce (0-11), tag (12-27) or encrypted text.
 */
const flip = ({ id, sealed }: SealedRow, at: number): SealedRow => ({
  id,
  sealed: sealed.map((byte, i) => (i === at ? byte ^ 1 : byte)),
});

test("texts that OpenSSL encrypted one by one are decrypted together", () => {
  expect(decryptTogether(key, rows)).toEqual(texts);
  expect(decryptTogether(key, [])).toEqual([]);
});

test("a changed bit in the nonce, the tag or the text of any row is detected", () => {
  for (const [i, row] of rows.entries())
    for (const at of [0, 11, 12, 27, 28, row.sealed.length - 1].filter(
      (position) => position < row.sealed.length,
    ))
      expect(decryptTogether(key, rows.with(i, flip(row, at)))).toBe(undefined);
});

test("a row that has the ID of another row, or is too short, is detected", () => {
  for (const [i, { sealed }] of rows.entries()) {
    expect(decryptTogether(key, rows.with(i, { id: "guest 2", sealed }))).toBe(undefined);
    const short = { id: "guest", sealed: sealed.subarray(0, 27) };
    expect(decryptTogether(key, rows.with(i, short))).toBe(undefined);
  }
});

test("changes of two rows do not cancel each other out", () => {
  for (let i = 1; i < rows.length; i += 1) {
    const [before, after] = [rows[i - 1]!, rows[i]!];
    for (const at of [0, 12, 27])
      expect(
        decryptTogether(key, rows.with(i - 1, flip(before, at)).with(i, flip(after, at))),
      ).toBe(undefined);
    const exchanged = [
      { ...before, sealed: after.sealed },
      { ...after, sealed: before.sealed },
    ];
    expect(decryptTogether(key, rows.with(i - 1, exchanged[0]!).with(i, exchanged[1]!))).toBe(
      undefined,
    );
  }
});

test("a text with the ID of another row is detected even if the tag of the text before has the same change", () => {
  const sealed = [encrypt("Ana", "guest bkg_1"), encrypt("Ben", "guest bkg_2")] as const;
  const [before, after] = sealed;
  const change = "2".charCodeAt(0) ^ "3".charCodeAt(0);
  // If the tag and the next ID shared a block of GHASH, this byte of the tag would be added to the
  // last letter of the ID.
  const at = 12 + after.id.length - 1;
  const tagged = before.sealed.map((byte, i) => (i === at ? byte ^ change : byte));
  const forged = [
    { ...before, sealed: tagged },
    { ...after, id: "guest bkg_3" },
  ];
  expect(decryptTogether(key, sealed)).toEqual(["Ana", "Ben"]);
  expect(decryptTogether(key, forged)).toBe(undefined);
});

test("another key decrypts nothing", () => {
  expect(decryptTogether(createSecretKey(randomBytes(32)), rows)).toBe(undefined);
});
