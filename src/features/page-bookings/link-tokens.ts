import { hash } from "node:crypto";

// Each link of a guest to a visit has a token.

export const LINK_TOKEN_PREFIX = "deskbell_gv_";

/** The form of a token, which the log recognises and redacts. */
const TOKEN = /^deskbell_gv_[0-9a-f]{48}$/;

export const isLinkToken = (text: string): boolean => TOKEN.test(text);

/** Returns the hash of a token. Its 192 random bits need no salt and no stretching. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");
