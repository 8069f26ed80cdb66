import { readOpenApi } from "../../platform/assets.ts";

type Server = {
  /** If empty, the URL that the document was fetched from. */
  publicUrl: string;
  /** The operator, as a mailto or https URL. */
  contact?: string | null;
};

type OpenApi = { info: { license: object }; servers: { url: string }[] };

/** Returns the OpenAPI document, which the build has written, with the address of a server. */
export const openApiOf = (server: Server): OpenApi =>
  nameServer(JSON.parse(readOpenApi()) as OpenApi, server);

/** Returns an OpenAPI document with the address of a server, and its operator. */
export function nameServer<Document extends OpenApi>(
  document: Document,
  { publicUrl, contact = null }: Server,
): Document {
  const { license, ...info } = document.info;
  return {
    ...document,
    info: { ...info, ...(contact !== null && { contact: describeContact(contact) }), license },
    servers: [{ url: publicUrl === "" ? "/" : publicUrl }],
  };
}

const describeContact = (contact: string): object =>
  contact.startsWith("mailto:") ? { email: contact.slice("mailto:".length) } : { url: contact };
