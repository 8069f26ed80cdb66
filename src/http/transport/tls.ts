import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createSecureContext, type Server, type TLSSocket } from "node:tls";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/safe-text.ts";
import type { Log, LogLevel } from "../../log.ts";

/** Paths of PEM files. */
export type TlsFiles = { cert: string; key: string };

/** What was in them, of which it is known that it serves. */
export type Certificate = { cert: string; key: string; names: string; expiresAt: number };

const HANDSHAKE_MS = 5000;
const DAY_MS = 86_400_000;
/** Whoever renews by itself has done so by then. */
const WARN_DAYS = 14;

/** @throws AppError that says which of the two files is wrong, and what would mend it */
export function readCertificate({ cert, key }: TlsFiles): Certificate {
  const read = { cert: readPem(cert, "certificate"), key: readPem(key, "private key") };
  const parsed = parseCertificate(cert, read.cert);
  if (!parsed.checkPrivateKey(parseKey(key, read.key)))
    throw new AppError(
      "invalid_input",
      `The key in ${key} is not the one of the certificate in ${cert}.`,
      {
        fix: "name the two files that were made together; of a chain, the server's own certificate comes first",
      },
    );
  try {
    createSecureContext(read);
  } catch (error) {
    throw new AppError(
      "invalid_input",
      `${cert} and ${key} cannot be served: ${(error as Error).message}.`,
      {
        fix: "take a certificate with an RSA key of 2048 bits or more, or an EC one",
      },
    );
  }
  const names = parsed.subjectAltName ?? parsed.subject.replaceAll("\n", ", ");
  return { ...read, names, expiresAt: parsed.validToDate.getTime() };
}

/** Says how long a certificate is good for, louder as its end comes nearer. */
export function logCertificateExpiry(
  log: Log,
  { names, expiresAt }: Certificate,
  now: number,
): void {
  const days = Math.floor((expiresAt - now) / DAY_MS);
  const fields = { names, expires: new Date(expiresAt).toISOString(), days };
  const [level, message]: [LogLevel, string] =
    expiresAt <= now
      ? ["error", "the certificate has expired: clients refuse it; renew it, then send SIGHUP"]
      : days < WARN_DAYS
        ? ["warn", "the certificate expires soon: renew it, then send SIGHUP"]
        : ["info", "certificate"];
  log(level, message, fields);
}

/** Hangs up on who connects and does not get a handshake done: until then no other clock of the server's runs. */
export function limitHandshakes(server: Server): void {
  const clocks = new Map<string, NodeJS.Timeout>();
  const stop = (peer: string) => {
    clearTimeout(clocks.get(peer));
    clocks.delete(peer);
  };
  server.on("connection", (socket: Socket) => {
    const peer = nameOf(socket);
    clocks.set(
      peer,
      setTimeout(() => socket.destroy(), HANDSHAKE_MS),
    );
    socket.once("close", () => stop(peer));
  });
  server.on("secureConnection", (socket: TLSSocket) => stop(nameOf(socket)));
}

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

function readPem(path: string, what: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw explainUnreadable(error, path, what);
  }
  // What some tools write before it is not for the server.
  const start = text.indexOf("-----BEGIN ");
  if (start !== -1) return text.slice(start);
  throw new AppError(
    "invalid_input",
    `${path} is not PEM: it has no line that starts with '-----BEGIN'.`,
    {
      fix: `name the file of the ${what} in PEM form`,
    },
  );
}

function explainUnreadable(error: unknown, path: string, what: string): AppError {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return new AppError("resource_not_found", `There is no file ${path} for the ${what}.`, {
        fix: "check --tls-cert and --tls-key",
      });
    case "EISDIR":
      return new AppError("usage", `${path} is a folder.`, {
        fix: `name the ${what}'s file in it`,
      });
    case "EACCES":
      return new AppError("not_permitted", `${path} cannot be read by this user.`, {
        fix: "let the daemon's user read it: chgrp and chmod 640, or a copy of its own",
      });
    default:
      return new AppError("state_refuses", `${path} cannot be read: ${message}.`, {
        fix: `see that the ${what} is a plain file on a disk that works`,
      });
  }
}

function parseCertificate(path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new AppError("invalid_input", `${path} does not begin with a certificate.`, {
      fix: "give the certificate, or the chain with the server's own first, to --tls-cert and the key to --tls-key",
    });
  }
}

function parseKey(path: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const isLocked = (error as NodeJS.ErrnoException).code === "ERR_MISSING_PASSPHRASE";
    throw isLocked
      ? new AppError("invalid_input", `The key in ${path} is locked with a passphrase.`, {
          fix: `unlock it for the daemon: openssl pkey -in ${safe(path)} -out server.key`,
        })
      : new AppError("invalid_input", `${path} holds no private key.`, {
          fix: "give the key's file to --tls-key",
        });
  }
}
