import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readLimited } from "../../platform/limited-read.ts";
import type { Socket } from "node:net";
import { createSecureContext, type Server, type TLSSocket } from "node:tls";
import { CERTIFICATE_WARN_DAYS } from "../../domain/conditions/certificate.ts";
import { errorInWords, AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";
import type { Log } from "../../platform/log.ts";
import { peerOf } from "./connection-limits.ts";

export type TlsFiles = { cert: string; key: string };

/**
 * The texts of a certificate file and its key file, which a server can use, with the names in the
 * certificate and its expiry.
 */
export type Certificate = { cert: string; key: string; names: string; expiresAt: number };

const HANDSHAKE_TIMEOUT_MS = 5000;
const DAY_MS = 86_400_000;

const invalidFile = (message: string, fix: string): AppError =>
  new AppError("invalid_input", message, { fix });

/**
 * Returns a certificate and its key.
 * @throws AppError that names the wrong file and its fix
 */
export function readCertificate({ cert, key }: TlsFiles): Certificate {
  const pem = { cert: readPem(cert, "certificate"), key: readPem(key, "private key") };
  const parsed = parseCertificate(cert, pem.cert);
  if (!parsed.checkPrivateKey(parseKey(key, pem.key)))
    throw invalidFile(
      `The private key in ${key} does not belong to the certificate in ${cert}.`,
      "use the key that the certificate was issued for; in a chain, the server certificate comes first",
    );
  try {
    createSecureContext(pem);
  } catch (error) {
    throw invalidFile(
      `The certificate in ${cert} and the key in ${key} cannot be used: ${(error as Error).message}.`,
      "use a certificate with an EC key, or with an RSA key of at least 2048 bits",
    );
  }
  const names = parsed.subjectAltName ?? parsed.subject.replaceAll("\n", ", ");
  return { ...pem, names, expiresAt: parsed.validToDate.getTime() };
}

/** Logs a certificate's expiry: as a warning if it is near, as an error once it is past. */
export function logCertificateExpiry(
  log: Log,
  { names, expiresAt }: Certificate,
  now: number,
): void {
  const days = Math.floor((expiresAt - now) / DAY_MS);
  const fields = { names, expires: new Date(expiresAt).toISOString(), days };
  if (expiresAt <= now)
    log(
      "error",
      "the certificate has expired and clients reject it: renew it, then send SIGHUP",
      fields,
    );
  else if (days < CERTIFICATE_WARN_DAYS)
    log("warn", "the certificate expires soon: renew it, then send SIGHUP", fields);
  else log("info", "certificate", fields);
}

/** Limits the time of TLS handshakes, because the HTTP timeouts start only after them. */
export function limitHandshakes(server: Server): void {
  // The keys of the map are the addresses and ports of clients: a TLS socket shares both with the
  // socket below it.
  const timers = new Map<string, NodeJS.Timeout>();
  const stop = (peer: string) => {
    clearTimeout(timers.get(peer));
    timers.delete(peer);
  };
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    timers.set(
      peer,
      setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS),
    );
    socket.once("close", () => stop(peer));
  });
  server.on("secureConnection", (socket: TLSSocket) => stop(peerOf(socket)));
}

/** @param noun what the file should contain, for error messages */
function readPem(path: string, noun: string): string {
  let text: string;
  try {
    text = readLimited(path).toString();
  } catch (error) {
    throw error instanceof AppError ? error : unreadableError(error, path, noun);
  }
  // Some tools write comments before the PEM block.
  const start = text.indexOf("-----BEGIN ");
  if (start !== -1) return text.slice(start);
  throw invalidFile(
    `${path} is not a PEM file: no line starts with '-----BEGIN'.`,
    `use a file that contains the ${noun} in PEM format`,
  );
}

function unreadableError(error: unknown, path: string, noun: string): AppError {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
      return new AppError(
        "resource_not_found",
        `The file ${path} for the ${noun} does not exist.`,
        {
          fix: "check --tls-cert and --tls-key",
        },
      );
    case "EISDIR":
      return new AppError("usage", `${path} is a folder, not a file.`, {
        fix: `use the path of the ${noun} file in it`,
      });
    case "EACCES":
      return new AppError("not_permitted", `${path} cannot be read by this user.`, {
        fix: "give the daemon's user read access (chgrp and chmod 640), or a copy of the file",
      });
    default:
      return new AppError("state_refuses", `${path} cannot be read: ${errorInWords(error)}.`, {
        fix: `check that the ${noun} is a regular file on a working disk`,
      });
  }
}

function parseCertificate(path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw invalidFile(
      `${path} does not start with a certificate.`,
      "pass the certificate, or the chain with the server certificate first, to --tls-cert and the key to --tls-key",
    );
  }
}

function parseKey(path: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const isEncrypted = (error as NodeJS.ErrnoException).code === "ERR_MISSING_PASSPHRASE";
    throw isEncrypted
      ? invalidFile(
          `The private key in ${path} is encrypted with a passphrase.`,
          `decrypt it: openssl pkey -in ${safe(path)} -out server.key`,
        )
      : invalidFile(
          `${path} does not contain a private key.`,
          "pass the private key file to --tls-key",
        );
  }
}
