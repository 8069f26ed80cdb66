/**
 * Where clients look for the card of the server. The extension of the protocol has moved it, and
 * clients of both versions exist.
 */
export const CARD_PATHS = ["/.well-known/mcp/server-card.json", "/mcp/server-card"] as const;
