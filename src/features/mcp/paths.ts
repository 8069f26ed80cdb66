/**
 * The paths at which clients look for the card of the server (SEP-2127). A later version of that
 * proposal has another path than the first, and clients of both versions exist.
 */
export const CARD_PATHS = ["/.well-known/mcp/server-card.json", "/mcp/server-card"] as const;
