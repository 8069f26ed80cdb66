const RESTRICTED = /^deskbell_rk_[0-9A-Za-z]{38}$/;

export type PastedKey =
  | { isUsable: true; key: string }
  | { isUsable: false; message: string; fix: string };

const refused = (message: string, fix: string): PastedKey => ({ isUsable: false, message, fix });

const ASK_FOR_RESTRICTED =
  "Ask the business for a restricted key: one that is created with --scope, and begins with deskbell_rk_.";

/** Returns the restricted key in a pasted text, or why it has none. This check sends nothing. */
export function readPastedKey(pasted: string): PastedKey {
  const text = pasted.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, "");
  if (text === "") return refused("Paste an API key first.", ASK_FOR_RESTRICTED);
  if (pasted.includes("deskbell_sk_"))
    return refused(
      "This is a secret key. It was not sent. It can do everything for the business, so it must never be in a browser.",
      ASK_FOR_RESTRICTED,
    );
  if (text.startsWith("whsec_"))
    return refused(
      "This is a signing secret, which verifies webhooks. It was not sent.",
      "Paste the API key, which begins with deskbell_rk_.",
    );
  if (!text.startsWith("deskbell_rk_"))
    return refused("This is not an API key. It was not sent.", ASK_FOR_RESTRICTED);
  if (!RESTRICTED.test(text))
    return refused(
      "This key has missing or additional characters. It was not sent.",
      "Copy the whole key again: deskbell_rk_ and 38 letters and digits.",
    );
  return { isUsable: true, key: text };
}
