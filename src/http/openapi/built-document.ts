import { readOpenApi } from "../../platform/assets.ts";

type Server = {
  /** The server's URL; if empty, clients use the URL that they fetched the document from. */
  publicUrl: string;
  /** A mailto or https URL of the operator. */
  contact?: string | null;
};

type OpenApi = { info: { license: object }; servers: { url: string }[] };

/**
 * Returns the OpenAPI document that the build has written, with a server's address and operator.
 */
export const openApiOf = (server: Server): OpenApi =>
  nameServer(JSON.parse(readOpenApi()) as OpenApi, server);

/** Returns a copy of an OpenAPI document with a server's address and operator. */
export function nameServer<Document extends OpenApi>(
  document: Document,
  { publicUrl, contact = null }: Server,
): Document {
  // `contact` is written before `license`, in the order of the specification.
  const { license, ...info } = document.info;
  return {
    ...document,
    info: { ...info, ...(contact !== null && { contact: describeContact(contact) }), license },
    servers: [{ url: publicUrl === "" ? "/" : publicUrl }],
  };
}

const describeContact = (contact: string): object =>
  contact.startsWith("mailto:") ? { email: contact.slice("mailto:".length) } : { url: contact };
