import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReceivedRequest } from "./receiver.ts";

// Searches bytes for secrets in every encoding in which they may have been written.

export type Secret = { description: string; encodings: Buffer[] };

/** Returns bytes as they are, in hex and in Base64. */
const encodingsOf = (bytes: Buffer): Buffer[] => [
  bytes,
  ...[bytes.toString("hex"), bytes.toString("hex").toUpperCase(), ...inBase64(bytes)].map((text) =>
    Buffer.from(text),
  ),
];

/**
 * Returns the Base64 characters that these bytes alone determine, for each of the three offsets
 * that they can have within a longer value.
 */
const inBase64 = (bytes: Buffer): string[] =>
  [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
    const from = shift === 0 ? 0 : 4;
    const to = Math.floor(whole.length / 3) * 4;
    return [whole.toString("base64").slice(from, to), whole.toString("base64url").slice(from, to)];
  });

export const apiKey = (description: string, text: string): Secret => ({
  description,
  encodings: encodingsOf(Buffer.from(text)),
});

export const signingSecret = (description: string, text: string): Secret => {
  const base64 = text.slice("whsec_".length);
  return {
    description,
    encodings: [...encodingsOf(Buffer.from(base64)), ...encodingsOf(Buffer.from(base64, "base64"))],
  };
};

export const masterKeys = (dataDir: string): Secret[] =>
  readFileSync(join(dataDir, "master.key"), "utf8")
    .trim()
    .split("\n")
    .map((line) => ({
      description: "a master key",
      encodings: encodingsOf(Buffer.from(line, "base64")),
    }));

/** Returns the signatures of a received request, in both formats. */
export const signatures = ({ headers }: ReceivedRequest): Secret[] =>
  [
    ...[...String(headers["x-service-signature"]).matchAll(/v1=([0-9a-f]{64})/g)].map(
      ([, hex = ""]) => Buffer.from(hex, "hex"),
    ),
    ...[...String(headers["webhook-signature"]).matchAll(/v1,(\S+)/g)].map(([, text = ""]) =>
      Buffer.from(text, "base64"),
    ),
  ].map((bytes) => ({ description: "a signature", encodings: encodingsOf(bytes) }));

/** Returns all files of the data folder except the master keys. */
export const filesOf = (dataDir: string): Map<string, Buffer> =>
  new Map(
    readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("master.key"))
      .map(({ parentPath, name }) => [
        join(parentPath, name).slice(dataDir.length),
        readFileSync(join(parentPath, name)),
      ]),
  );

export const findIn = (places: ReadonlyMap<string, Buffer>, secrets: readonly Secret[]): string[] =>
  [...places].flatMap(([place, bytes]) =>
    secrets
      .filter(({ encodings }) => encodings.some((encoding) => bytes.includes(encoding)))
      .map(({ description }) => `${description} in ${place}`),
  );
