import type { DeskbellEvent } from "./types.ts";

/** Why a webhook is not accepted. */
export type WebhookErrorReason =
  | "missing_header"
  | "malformed_header"
  | "parsed_body"
  | "reserialised_body"
  | "altered_body"
  | "wrong_secret"
  | "clock";

/** A webhook whose signature cannot be verified. Respond with status 401. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: WebhookErrorReason;

  constructor(reason: WebhookErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type WebhookOptions = {
  /** The body of the request, exactly as received. */
  body: string | Uint8Array | ArrayBuffer;
  /** The header `X-Service-Signature`. */
  header: string | null | undefined;
  /** The signing secret, or several while a secret is rotated. */
  secret: string | readonly string[];
  /** How far the time of the signature may be from the clock; 300 by default. */
  toleranceSeconds?: number | undefined;
  /** The time in epoch milliseconds; by default that of the clock. */
  now?: number | undefined;
};

const encoder = new TextEncoder();

/**
 * Returns the event of a webhook after its signature has been verified. The comparison of WebCrypto
 * takes the same time for every signature.
 * @throws WebhookError
 */
export async function verifyWebhook(options: WebhookOptions): Promise<DeskbellEvent> {
  const { header, toleranceSeconds = 300, now = Date.now() } = options;
  const body = toBytes(options.body);
  if (!header)
    throw new WebhookError("missing_header", "The request has no header X-Service-Signature.");
  const pairs = header.split(",").map((pair) => pair.trim().split("="));
  const time = pairs.find(([name]) => name === "t")?.[1] ?? "";
  const signatures = pairs.flatMap(([name, hex = ""]) =>
    name === "v1" && /^[0-9a-f]{64}$/.test(hex) ? [fromHex(hex)] : [],
  );
  if (!/^\d+$/.test(time) || signatures.length === 0)
    throw new WebhookError(
      "malformed_header",
      "X-Service-Signature is not `t=<unix seconds>,v1=<hex>`: pass the whole header.",
    );
  const secrets = [options.secret].flat();
  const matches = (bytes: Uint8Array) => matchesAny(secrets, signatures, time, bytes);
  if (!(await matches(body))) throw await explainMismatch(body, matches);
  const ageSeconds = Math.round(now / 1000 - Number(time));
  if (Math.abs(ageSeconds) > toleranceSeconds)
    throw new WebhookError(
      "clock",
      `The signature was made ${Math.abs(ageSeconds)} s ${ageSeconds > 0 ? "ago" : "in the future"}, and the tolerance is ${toleranceSeconds} s: set the clock of this machine, unless the request is an old one that was sent again.`,
    );
  return JSON.parse(decode(body)) as DeskbellEvent;
}

function toBytes(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  throw new WebhookError(
    "parsed_body",
    "The body is not a string or bytes: pass the raw body, before it is parsed.",
  );
}

const decode = (body: Uint8Array): string => new TextDecoder().decode(body);

const fromHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

async function matchesAny(
  secrets: readonly string[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  time: string,
  body: Uint8Array,
): Promise<boolean> {
  const prefix = encoder.encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  for (const secret of secrets) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const bytes = encoder.encode(secret);
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    for (const signature of signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
  }
  return false;
}

/**
 * Returns the likely reason why no signature matches. deskbell sends what JSON.stringify returns,
 * so other JSON has been changed on its way.
 */
async function explainMismatch(
  body: Uint8Array,
  matches: (body: Uint8Array) => Promise<boolean>,
): Promise<WebhookError> {
  const text = decode(body);
  const compact = reserialise(text);
  if (compact !== text && compact !== undefined && (await matches(encoder.encode(compact))))
    return new WebhookError(
      "reserialised_body",
      "The body was parsed and written again: pass the raw body, as received.",
    );
  if (compact !== text)
    return new WebhookError(
      "altered_body",
      "The body is not the one that was signed: pass all of the raw body, as received.",
    );
  return new WebhookError(
    "wrong_secret",
    "No signature matches: pass the whole signing secret of this endpoint, with whsec_. If it is right, a value in the body was changed.",
  );
}

function reserialise(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
