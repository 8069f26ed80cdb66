import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";

/** A CSV file: its name in messages, and its bytes in any encoding that spreadsheets use. */
export type CsvSource = { name: string; bytes: Uint8Array };

export type CsvText = {
  text: string;
  encoding: "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252";
  /** Whether the encoding is a guess, because the file has no byte order mark and is not UTF-8. */
  encodingAssumed: boolean;
};

const MAX_BYTES = 50_000_000;

/** Decodes the bytes of a CSV file. @throws AppError invalid_input if it is not text */
export function decodeCsv({ name, bytes }: CsvSource): CsvText {
  const fail = (message: string, fix: string): never => {
    throw new AppError("invalid_input", `${safe(name)} ${message}`, { fix });
  };
  const saveAsText = "save it from the spreadsheet as 'CSV UTF-8'";
  if (bytes.length > MAX_BYTES) fail("is larger than 50 MB.", "split it");
  if (WORKBOOK_SIGNATURES.some((start) => start.every((byte, index) => bytes[index] === byte)))
    fail("is a spreadsheet, not a CSV file.", saveAsText);
  const decoded = decodeAny(bytes);
  // A text with a guessed encoding has control characters if the file is binary, or has bytes that
  // Windows-1252 does not define.
  const isBinary = decoded?.encodingAssumed && /[\x00-\x08\x0e-\x1f\x7f-\x9f]/.test(decoded.text);
  if (decoded === undefined || isBinary)
    return fail("is not text in UTF-8, UTF-16 or Windows-1252.", saveAsText);
  if (decoded.text.includes("\ufffd"))
    fail("contains the character U+FFFD, which stands for a letter that was lost.", saveAsText);
  return decoded;
}

/** The first bytes of .xlsx files, and of Excel's format before 2007. */
const WORKBOOK_SIGNATURES = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

function decodeAny(bytes: Uint8Array): CsvText | undefined {
  const decode = (encoding: CsvText["encoding"], encodingAssumed = false): CsvText | undefined => {
    try {
      return {
        text: new TextDecoder(encoding, { fatal: true }).decode(bytes),
        encoding,
        encodingAssumed,
      };
    } catch {
      return undefined;
    }
  };
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decode("UTF-16LE");
  if (first === 0xfe && second === 0xff) return decode("UTF-16BE");
  // A CSV table begins with a Latin letter. If the file is UTF-16 without a byte order mark, one of
  // the letter's two bytes is 0.
  if (first !== 0 && second === 0) return decode("UTF-16LE", true);
  if (first === 0 && second !== 0) return decode("UTF-16BE", true);
  return decode("UTF-8") ?? decode("Windows-1252", true);
}
