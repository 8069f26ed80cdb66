import { createCipheriv, createDecipheriv } from "node:crypto";
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { AppError } from "./domain/errors.ts";

/** Seals signing secrets at rest: AES-256-GCM, bound to the row they belong to. */
export type SecretBox = {
  seal: (plain: string, rowId: string) => Buffer;
  open: (sealed: Uint8Array, rowId: string) => string;
};

const NONCE = 12;
const TAG = 16;
const KEY = 32;

/** The key lies beside the database, not in it, so that a copied database file opens nothing. Made at the first use. */
export function openSecretBox(keyPath: string, random: (bytes: number) => Buffer): SecretBox {
  let key: Buffer | undefined;
  const loadKey = () => (key ??= readOrCreateKey(keyPath, random));
  return {
    seal(plain, rowId) {
      const nonce = random(NONCE);
      const cipher = createCipheriv("aes-256-gcm", loadKey(), nonce).setAAD(Buffer.from(rowId));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, rowId) {
      const decipher = createDecipheriv("aes-256-gcm", loadKey(), sealed.subarray(0, NONCE))
        .setAAD(Buffer.from(rowId))
        .setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
      try {
        return decipher.update(sealed.subarray(NONCE + TAG), undefined, "utf8") + decipher.final("utf8");
      } catch {
        throw new AppError("state_refuses", `A signing secret does not open with the key in ${keyPath}.`, {
          fix: "put the key file back that belongs to this database",
        });
      }
    },
  };
}

function readOrCreateKey(path: string, random: (bytes: number) => Buffer): Buffer {
  for (;;) {
    try {
      const key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
      if (key.length === KEY) return key;
      throw new AppError("state_refuses", `${path} does not hold a ${KEY}-byte key in base64.`, {
        fix: "put the key file back that belongs to this database",
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    createKey(path, random);
  }
}

/** Written aside and linked into place: two processes that start at once end with one whole key. */
function createKey(path: string, random: (bytes: number) => Buffer): void {
  const draft = `${path}.${random(6).toString("hex")}`;
  writeFileSync(draft, `${random(KEY).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}
