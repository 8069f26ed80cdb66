import { getSystemErrorMap } from "node:util";

/** Errors in the words of an operator; the system has texts of its own for the other codes. */
const WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate was revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  EAI_AGAIN: "the name server does not respond",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no route to it",
  ENOTFOUND: "unknown host name",
  EPIPE: "connection closed",
  EPROTO: "it does not support TLS on this port, or no common version",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not support TLS on this port",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not support TLS on this port",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
  ETIMEDOUT: "no response",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is from an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "it does not send its whole chain of certificates",
  UND_ERR_ABORTED: "the request was cancelled",
  UND_ERR_BODY_TIMEOUT: "no response",
  UND_ERR_CONNECT_TIMEOUT: "no response",
  UND_ERR_HEADERS_TIMEOUT: "no response",
  UND_ERR_SOCKET: "connection closed",
};

const CODE = /\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)*\b/g;
const ONLY_CODE = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/;

/**
 * Returns an error of the network or the file system without codes such as ECONNREFUSED, which an
 * operator would have to look up. Other errors keep their message.
 */
export function errorInWords(error: unknown): string {
  // The message of an error may be "fetch failed" only.
  for (let at = error; at instanceof Error; at = at.cause) {
    const words = WORDS[(at as NodeJS.ErrnoException).code ?? ""];
    if (words !== undefined) return words;
  }
  if (!(error instanceof Error)) return textInWords(String(error));
  return textInWords(error.message || String((error as NodeJS.ErrnoException).code ?? error.name));
}

/** Describes an error of `fetch`, whose own message is "fetch failed". */
export function fetchErrorInWords(error: unknown): string {
  const { name, cause } = error as Error;
  return name === "TimeoutError" ? "no response" : errorInWords(cause ?? error);
}

/** `4093…:error:0A00010B:SSL routines:function:wrong version number:../deps/…`, as OpenSSL writes it. */
const OPENSSL = /\berror:[\dA-F]{8}:[^:]*:[^:]*:([^:]+)/;

/** Reasons of OpenSSL for a response that is not TLS. */
const NOT_TLS: ReadonlySet<string> = new Set([
  "wrong version number",
  "packet length too long",
  "http request",
]);

function textInWords(text: string): string {
  const [, reason] = OPENSSL.exec(text) ?? [];
  if (reason !== undefined)
    return NOT_TLS.has(reason) ? "it does not support TLS on this port" : `TLS failed: ${reason}`;
  const known = text.match(CODE)?.find((code) => Object.hasOwn(WORDS, code));
  if (known !== undefined) return WORDS[known] as string;
  const messages = new Map(getSystemErrorMap().values());
  // Node writes `ENOENT: no such file or directory, open 'a'`, or the code alone.
  const words = text
    .replace(/^E[A-Z\d]+: /, "")
    .replace(CODE, (code) => messages.get(code) ?? code);
  return ONLY_CODE.test(words) ? `the connection failed (${words})` : words;
}
