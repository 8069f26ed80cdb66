import { fetchAgain } from "./fetch-again.ts";

export type Reply = { status: number; body: { data: unknown; code?: string; reason?: string } };

/** Sends a request with a JSON body, under a new Idempotency-Key. */
export async function sendJson(
  method: string,
  url: string,
  key: string,
  body: unknown,
): Promise<Reply> {
  const response = await fetchAgain(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}
