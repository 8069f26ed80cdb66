import { shellQuote } from "../../../domain/text.ts";
import { signBody } from "./signature.ts";

/** Escapes characters as JSON does, so that a terminal shows exactly what is pasted. */
const escapeNonAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export type SentRequest = {
  url: string | null;
  headers: Readonly<Record<string, string>>;
  body: string;
};

/**
 * Returns a command that sends a webhook again from the reader's machine.
 * @param secret the signing secret; if empty, the command has a placeholder for the signature
 * @param nowMs the time of the new signature
 */
export async function writeCurl(
  { url, headers, body }: SentRequest,
  secret: string,
  nowMs: number,
): Promise<string> {
  const sent = escapeNonAscii(body);
  const seconds = String(Math.floor(nowMs / 1000));
  const id = headers["webhook-id"] ?? "";
  const signature = secret === "" ? {} : await signBody({ body: sent, secret, seconds, id });
  const signedHeaders = { ...headers, ...signature };
  return [
    "curl --include --globoff",
    `--url ${shellQuote(escapeNonAscii(url ?? "https://YOUR-RECEIVER"))}`,
    ...Object.entries(signedHeaders).map(
      ([name, value]) => `--header ${shellQuote(escapeNonAscii(`${name}: ${value}`))}`,
    ),
    `--data-raw ${shellQuote(sent)}`,
  ].join(" \\\n  ");
}
