import { WebhookError, verifyWebhook } from "../../../client/index.ts";

const encoder = new TextEncoder();

const hmac = async (secret: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> => {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
};

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the headers with which deskbell signs a body: its own and those of Standard Webhooks. */
export async function signBody({
  body,
  secret,
  seconds,
  id,
}: {
  body: string;
  secret: string;
  /** The time of the signature, in epoch seconds. */
  seconds: string;
  /** The ID of the event. */
  id: string;
}): Promise<Record<string, string>> {
  // X-Service-Signature uses the secret as text; Standard Webhooks decodes it to bytes.
  const service = toHex(await hmac(encoder.encode(secret), `${seconds}.${body}`));
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (byte) => byte.charCodeAt(0));
  const standard = btoa(String.fromCharCode(...(await hmac(bytes, `${id}.${seconds}.${body}`))));
  return {
    "X-Service-Signature": `t=${seconds},v1=${service}`,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${standard}`,
  };
}

export const SECRET = /^whsec_[A-Za-z0-9+/]{48}$/;
const SIGNATURE = /\bt=\d+(?:,\s*v\d=[0-9a-f]+)+/i;
/** The age from which verifiers refuse a signature. */
const TOLERANCE_SECONDS = 300;

/** Returns the ID of the event in a body, even if the body is not JSON any more. */
export const eventIdOf = (body: string): string | undefined =>
  /"id"\s*:\s*"(evt_[0-9a-z]+)"/.exec(body)?.[1];

export type SignatureInput = {
  body: string;
  /** X-Service-Signature, or all headers of the request. */
  headers: string;
  /** Empty if the reader does not want to paste it. */
  secret: string;
  /** The body that deskbell has sent; null if it is not known. */
  original: string | null;
  /** The time on the reader's clock. */
  nowMs: number;
  /** The time on the server's clock; null if it is not known. */
  serverMs: number | null;
};

export type Finding = { isGood: boolean; text: string };

/** Returns what is right or wrong with a signed request, the most likely reason first. */
export async function checkSignature(input: SignatureInput): Promise<Finding[]> {
  const header = SIGNATURE.exec(input.headers)?.[0];
  if (header === undefined) return [explainHeader(input.headers)];
  const body = await checkBody(input, header);
  return [...body, ...checkClock(input, Number(/\d+/.exec(header)?.[0]))];
}

function explainHeader(headers: string): Finding {
  if (/\bv1,[A-Za-z0-9+/]/.test(headers))
    return bad(
      "This is the header webhook-signature of Standard Webhooks. Paste X-Service-Signature, or all headers of the request.",
    );
  if (headers.trim() === "") return bad("Paste the header X-Service-Signature of the request.");
  return bad(
    "No X-Service-Signature was found. It looks like t=1795176000,v1=5257a8…: paste it whole, as it was received.",
  );
}

const good = (text: string): Finding => ({ isGood: true, text });
const bad = (text: string): Finding => ({ isGood: false, text });

/** Returns what is right or wrong with the body, the secret and the signature. */
async function checkBody(input: SignatureInput, header: string): Promise<Finding[]> {
  const { body, original } = input;
  const changed = original === null || original === body ? [] : [explainChange(body, original)];
  const secret = input.secret.trim();
  if (secret === "") {
    const same = original === body ? [good("The body is exactly the one that was sent.")] : [];
    return [...same, ...changed, bad("Paste the signing secret, to check the signature itself.")];
  }
  if (!SECRET.test(secret)) return [...changed, explainSecret(secret)];
  const mismatch = await findMismatch(body, header, secret);
  if (mismatch === undefined)
    return [good("The signature is right: secret, body and header belong together.")];
  if (original !== null && original !== body) {
    const isSecretRight = (await findMismatch(original, header, secret)) === undefined;
    return isSecretRight
      ? [
          ...changed,
          good("The secret is right: with the body that was sent, the signature matches."),
        ]
      : [...changed, WRONG_SECRET];
  }
  if (mismatch.reason === "reserialised_body") return [RESERIALISED];
  if (original === body || mismatch.reason === "wrong_secret") return [WRONG_SECRET];
  return [
    bad(
      "The body is not the one that was signed: it is not what JSON.stringify writes. Paste the raw body, byte by byte as it was received.",
    ),
  ];
}

const RESERIALISED = bad(
  "The body was parsed and written again (re-serialised): the secret is right, but spaces or line breaks differ. Verify the raw bytes of the request before anything parses them.",
);
const WRONG_SECRET = bad(
  "Wrong secret: the body is as deskbell writes it, but this secret does not sign it so. Each endpoint has its own secret, and a rotation replaces it. Rotate the secret of the endpoint if you no longer have it.",
);

/** Returns why a signature does not match; undefined if it matches. */
async function findMismatch(
  body: string,
  header: string,
  secret: string,
): Promise<WebhookError | undefined> {
  try {
    // `checkClock` reports an old signature, so its age does not count here.
    await verifyWebhook({ body, header, secret, toleranceSeconds: Infinity });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookError) return error;
    throw error;
  }
}

function explainSecret(secret: string): Finding {
  if (secret.startsWith("deskbell_"))
    return bad("This is an API key. The signing secret of the endpoint begins with whsec_.");
  if (!secret.startsWith("whsec_"))
    return bad("The signing secret begins with whsec_. Pass it to the verifier with this prefix.");
  return bad("The secret has missing or additional characters: it must be whsec_ and 48 others.");
}

function explainChange(body: string, original: string): Finding {
  if (body.trim() === original)
    return bad("The body has spaces or line breaks before or after what was sent.");
  if (sameJson(body, original))
    return bad(
      "The body was parsed and written again (re-serialised): it has the same data as the one that was sent, in other bytes. Verify the raw bytes of the request before anything parses them.",
    );
  // An emoji is one character here, although a string has two units for it.
  const [received, sent] = [[...body], [...original]];
  const differing = sent.findIndex((character, i) => character !== received[i]);
  // If the body begins with everything that was sent, the difference is the text after it.
  const position = differing === -1 ? sent.length : differing;
  const from = Math.max(0, position - 20);
  const excerpt = (text: readonly string[]) => `…${text.slice(from, position + 30).join("")}…`;
  return bad(
    `The body and the one that was sent differ at character ${position + 1}: received ${excerpt(received)}, sent ${excerpt(sent)}`,
  );
}

/** Returns whether two texts are the same JSON, whatever the order of their fields is. */
function sameJson(one: string, other: string): boolean {
  try {
    return stringifySorted(JSON.parse(one)) === stringifySorted(JSON.parse(other));
  } catch {
    return false;
  }
}

const stringifySorted = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

function checkClock({ nowMs, serverMs }: SignatureInput, signedAt: number): Finding[] {
  const findings: Finding[] = [];
  const age = Math.round((serverMs ?? nowMs) / 1000 - signedAt);
  if (Math.abs(age) > TOLERANCE_SECONDS)
    findings.push(
      bad(
        `The signature was made ${inMinutes(age)}${age > 0 ? " ago" : " in the future"}. Verifiers refuse more than ${TOLERANCE_SECONDS / 60} minutes. If the request had just arrived, the clock of the receiver is wrong; if you check an older request here, this is as expected.`,
      ),
    );
  if (serverMs !== null && Math.abs(nowMs - serverMs) > 60_000)
    findings.push(
      bad(
        `The clock of this computer is ${inMinutes((nowMs - serverMs) / 1000)} ${nowMs > serverMs ? "ahead of" : "behind"} the server's. If the receiver runs here, set its clock.`,
      ),
    );
  return findings;
}

const inMinutes = (seconds: number): string => {
  const minutes = Math.round(Math.abs(seconds) / 60);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
};
