import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { signatureError } from "../../domain/webhooks/webhook-post.ts";

export type ReceivedDelivery = {
  eventType: string;
  deliveryId: string;
  attempt: number;
  body: Buffer;
  /** Why the signature was rejected; undefined if it is valid. */
  error: string | undefined;
  statusCode: number;
};

export type SimulatedResponse = { statusCode: number; delayMs: number };

export type Receiver = { url: string; close: () => Promise<void> };

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Starts a minimal webhook receiver on 127.0.0.1. The receiver responds with 401 to an invalid
 * signature, and otherwise with what `simulate` returns (200 by default).
 * @param port 0 for any free port
 * @param secret null to accept any signature
 * @param simulate returns the response to each valid delivery
 */
export function startReceiver({
  port,
  secret,
  now,
  simulate = () => ({ statusCode: 200, delayMs: 0 }),
  onDelivery,
}: {
  port: number;
  secret: string | null;
  now: () => number;
  simulate?: () => SimulatedResponse;
  onDelivery: (received: ReceivedDelivery) => void;
}): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (body === undefined) return void response.writeHead(413, { connection: "close" }).end();
    // A header that is sent several times can be an array.
    const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
    const signature = header("x-service-signature");
    const error =
      secret === null
        ? undefined
        : signatureError(signature, body, secret, Math.floor(now() / 1000));
    const { statusCode, delayMs } =
      error === undefined ? simulate() : { statusCode: 401, delayMs: 0 };
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.writeHead(statusCode).end(error);
    onDelivery({
      eventType: header("x-service-event") ?? "",
      deliveryId: header("x-service-delivery") ?? "",
      attempt: Number(header("x-service-attempt")),
      body,
      error,
      statusCode,
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      }),
    );
  });
}

/** Returns the body; undefined if it is too large or incomplete. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
