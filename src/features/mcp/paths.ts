/**
 * The paths at which clients look for the card of the server (SEP-2127). Clients exist for two
 * versions of the proposal, which name different paths.
 */
export const CARD_PATHS = ["/.well-known/mcp/server-card.json", "/mcp/server-card"] as const;
