import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { signatureError } from "../domain/webhooks/signature.ts";

/** A POST as the sample receiver saw it. */
export type ReceivedDelivery = {
  eventType: string;
  deliveryId: string;
  attempt: number;
  body: Buffer;
  /** Why it was not taken; undefined: it is genuine, or there is no secret to tell by. */
  refused: string | undefined;
  /** What it was answered. */
  statusCode: number;
};

/** How a receiver is to misbehave. */
export type SimulatedResponse = { statusCode: number; delayMs: number };

export type Receiver = { url: string; close: () => Promise<void> };

const MAX_BODY = 1024 * 1024;

/**
 * A partner's side in its smallest form: on 127.0.0.1, 200 for what is signed with the secret and 400 for all else.
 * @param port 0 for any free one
 * @param secret null: nothing is verified
 * @param mood asked for at each delivery that would be taken
 */
export function startReceiver({
  port,
  secret,
  now,
  mood = () => ({ statusCode: 200, delayMs: 0 }),
  onDelivery,
}: {
  port: number;
  secret: string | null;
  now: () => number;
  mood?: () => SimulatedResponse;
  onDelivery: (received: ReceivedDelivery) => void;
}): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (body === undefined) return void response.writeHead(413, { connection: "close" }).end();
    const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
    const signature = header("x-service-signature");
    const refused =
      secret === null
        ? undefined
        : signatureError(signature, body, secret, Math.floor(now() / 1000));
    const { statusCode, delayMs } =
      refused === undefined ? mood() : { statusCode: 400, delayMs: 0 };
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.writeHead(statusCode).end(refused);
    onDelivery({
      eventType: header("x-service-event") ?? "",
      deliveryId: header("x-service-delivery") ?? "",
      attempt: Number(header("x-service-attempt")),
      body,
      refused,
      statusCode,
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        close: () =>
          new Promise((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      }),
    );
  });
}

/** Undefined when it is too long, or broke off. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
