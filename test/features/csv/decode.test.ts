import { describe, expect, test } from "vitest";
import { decodeCsv } from "../../../src/features/csv/decode.ts";

const TEXT = "name;price\r\nMüller – Soin à 5 €;35\r\n";

const utf16 = (text: string, isBigEndian: boolean): Buffer => {
  const bytes = Buffer.from(text, "utf16le");
  return isBigEndian ? bytes.swap16() : bytes;
};
const windows1252 = Buffer.from(TEXT.replace("–", "\x96").replace("€", "\x80"), "latin1");

const decode = (bytes: Uint8Array) => decodeCsv({ name: "prices.csv", bytes });

test.each([
  ["UTF-8", false, Buffer.from(TEXT)],
  ["UTF-8", false, Buffer.from(`\ufeff${TEXT}`)],
  ["UTF-16LE", false, utf16(`\ufeff${TEXT}`, false)],
  ["UTF-16BE", false, utf16(`\ufeff${TEXT}`, true)],
  ["UTF-16LE", true, utf16(TEXT, false)],
  ["UTF-16BE", true, utf16(TEXT, true)],
  ["Windows-1252", true, windows1252],
])("a CSV file in %s is decoded (encoding guessed: %s)", (encoding, encodingAssumed, bytes) => {
  expect(decode(bytes)).toEqual({ text: TEXT, encoding, encodingAssumed });
});

describe("decodeCsv refuses", () => {
  test.each<[string, Uint8Array, string]>([
    ["is an Excel workbook", Buffer.from("PK\x03\x04..."), "is a spreadsheet, not a CSV file"],
    ["is binary", Buffer.from([0x6e, 0xff, 0x01, 0x00]), "is not text in UTF-8, UTF-16 or"],
    ["is binary with a 0 as its second byte", Buffer.from([0x01, 0x00, 0x6e, 0x00]), "is not text"],
    ["has a byte that Windows-1252 lacks", Buffer.from([0x6e, 0x81]), "is not text"],
    ["ends in half a UTF-16 character", Buffer.from([0xff, 0xfe, 0x6e]), "is not text"],
    ["lost letters", Buffer.from("Caf\ufffd"), "contains the character U+FFFD"],
  ])("decodeCsv refuses a file that %s", (_case, bytes, problem) => {
    expect(() => decode(bytes)).toThrow(problem);
  });
});
