import { readVersion } from "../../platform/assets.ts";

// The messages of the Model Context Protocol over streamable HTTP: the stateless revision, and the
// revisions before it, which begin with a handshake.

/** The first version whose requests stand alone, without a handshake before them. */
export const STATELESS = "2026-07-28";
export const WITH_HANDSHAKE = ["2025-11-25", "2025-06-18"] as const;
export const VERSIONS: readonly string[] = [STATELESS, ...WITH_HANDSHAKE];

const META = "io.modelcontextprotocol/";

const CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

type Id = string | number;
type Fields = Record<string, unknown>;

/**
 * An error in a message of the protocol. A call that a tool refuses gets a result instead, because
 * language models read only results.
 */
export class MessageError extends Error {
  readonly code: number;
  /** The HTTP status of the response. */
  readonly status: number;
  readonly data: Fields;

  constructor(code: keyof typeof CODES, status: number, message: string, data: { fix: string }) {
    super(message);
    this.code = CODES[code];
    this.status = status;
    this.data = data;
  }
}

export type ClientRequest = { id: Id; method: string; params: Fields; isStateless: boolean };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns the ID of a message; undefined if the message has no valid ID. An error response repeats
 * the ID.
 */
export const idOf = ({ id }: Fields): Id | undefined =>
  typeof id === "string" || Number.isSafeInteger(id) ? (id as Id) : undefined;

/**
 * Returns a request; undefined for a notification, which needs no answer.
 * @param getHeader returns a header of the HTTP request
 * @throws MessageError
 */
export function parseMessage(
  message: Fields,
  getHeader: (name: string) => string | undefined,
): ClientRequest | undefined {
  const { jsonrpc, method, params = {} } = message;
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isFields(params))
    throw new MessageError("invalidRequest", 400, "The body is not a JSON-RPC 2.0 request.", {
      fix: 'send one object {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
    });
  const version = getHeader("mcp-protocol-version");
  if (!("id" in message)) return undefined;
  const id = idOf(message);
  if (id === undefined)
    throw new MessageError("invalidRequest", 400, "'id' must be a text or a whole number.", {
      fix: "give each request an id of its own, such as 1",
    });
  const meta = isFields(params["_meta"]) ? params["_meta"] : {};
  // Versions are dates, so `>=` compares them as text. `initialize` may ask for any version,
  // because the server answers with one that it has.
  const isStateless =
    `${META}protocolVersion` in meta || (version !== undefined && version >= STATELESS);
  if (isStateless) assertStateless(method, params, meta, getHeader);
  else if (version !== undefined && method !== "initialize") assertVersion(version);
  return { id, method, params, isStateless };
}

function assertVersion(requested: unknown): void {
  if (typeof requested === "string" && VERSIONS.includes(requested)) return;
  const error = new MessageError("unsupportedVersion", 400, "Unsupported protocol version.", {
    fix: `use one of the versions ${VERSIONS.join(", ")}`,
  });
  Object.assign(error.data, { supported: VERSIONS, requested });
  throw error;
}

/**
 * Checks the fields of `_meta` and the headers that each request of the stateless revision must
 * have.
 */
function assertStateless(
  method: string,
  params: Fields,
  meta: Fields,
  getHeader: (name: string) => string | undefined,
): void {
  const version = meta[`${META}protocolVersion`];
  for (const [name, isValid] of [
    ["protocolVersion", typeof version === "string"],
    ["clientCapabilities", isFields(meta[`${META}clientCapabilities`])],
  ] as const)
    if (!isValid)
      throw new MessageError("invalidParams", 400, `'_meta' lacks ${META}${name}.`, {
        fix: `send ${META}protocolVersion and ${META}clientCapabilities in params._meta`,
      });
  assertHeader("MCP-Protocol-Version", String(version), getHeader);
  assertVersion(version);
  if (version !== STATELESS)
    throw new MessageError("invalidParams", 400, `${String(version)} begins with a handshake.`, {
      fix: `call initialize without ${META}protocolVersion, or use the version ${STATELESS}`,
    });
  assertHeader("Mcp-Method", method, getHeader);
  if (method === "tools/call") assertHeader("Mcp-Name", String(params["name"]), getHeader);
}

/**
 * The form of a header value that has characters besides ASCII: the value in base64, such as
 * `=?base64?w6k=?=`.
 */
const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Asserts that a header repeats a value of the body, so that proxies can rely on it. */
function assertHeader(
  name: string,
  expected: string,
  getHeader: (name: string) => string | undefined,
): void {
  const value = getHeader(name.toLowerCase());
  const [, base64] = ENCODED.exec(value ?? "") ?? [];
  const decoded = base64 === undefined ? value : Buffer.from(base64, "base64").toString();
  if (decoded === expected) return;
  throw new MessageError(
    "headerMismatch",
    400,
    value === undefined
      ? `The header ${name} is missing.`
      : `The header ${name} differs from the value in the body.`,
    { fix: `send in ${name} the same value as in the body` },
  );
}

/**
 * Returns the error for an unknown method. The stateless revision has an HTTP status for it; in
 * earlier revisions, an error about a valid message has the status 200.
 */
export const unknownMethod = ({ method, isStateless }: ClientRequest): MessageError =>
  new MessageError(
    "unknownMethod",
    isStateless ? 404 : 200,
    `There is no method '${method.slice(0, 80)}'.`,
    { fix: "call tools/list or tools/call: the server has tools only" },
  );

const serverInfo = () => ({ name: "deskbell", title: "deskbell", version: readVersion() });

const CAPABILITIES = { tools: {} };

/** Returns the description of the server for `initialize` and `server/discover`. */
export function describeServer({ method, params }: ClientRequest, instructions: string): Fields {
  if (method === "server/discover")
    return { supportedVersions: VERSIONS, capabilities: CAPABILITIES, instructions, ...CACHING };
  const requested = params["protocolVersion"];
  // If the client asks for any other version, the server offers its newest version with a
  // handshake. The client then decides whether to use that version.
  const protocolVersion =
    WITH_HANDSHAKE.find((version) => version === requested) ?? WITH_HANDSHAKE[0];
  return { protocolVersion, capabilities: CAPABILITIES, serverInfo: serverInfo(), instructions };
}

/**
 * Clients may keep a list of tools for five minutes, and share it with no other user, because it
 * depends on the API key.
 */
export const CACHING = { ttlMs: 300_000, cacheScope: "private" };

/** Returns the body of a response with a result. */
export const toResult = ({ id, isStateless }: ClientRequest, result: Fields): Fields => ({
  jsonrpc: "2.0",
  id,
  result: isStateless
    ? {
        resultType: "complete",
        ...result,
        _meta: { [`${META}serverInfo`]: serverInfo() },
      }
    : result,
});

export const toError = (id: Id | undefined, { code, message, data }: MessageError): Fields => ({
  jsonrpc: "2.0",
  ...(id !== undefined && { id }),
  error: { code, message, data },
});
