import { request } from "node:http";
import { request as requestTls } from "node:https";
import type { DaemonResponse } from "../../app/operations/doctor-checks.ts";

const TIMEOUT_MS = 3000;

/**
 * Requests /readyz of the local daemon. The certificate is not verified: it is for another host
 * name, and the request contains no secret.
 */
export const probeDaemon = (url: string): Promise<DaemonResponse> =>
  new Promise((resolve) => {
    const send = url.startsWith("https:") ? requestTls : request;
    const outgoing = send(`${url}/readyz`, {
      rejectUnauthorized: false,
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as Parameters<typeof requestTls>[1]);
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      resolve({
        reason:
          error.name === "TimeoutError" || error.name === "AbortError"
            ? `no response within ${TIMEOUT_MS / 1000} s`
            : (error.code ?? error.message),
      }),
    );
    outgoing.on("response", (response) => {
      response.resume();
      const { statusCode, headers } = response;
      resolve(
        statusCode === 200
          ? { at: Date.parse(headers.date ?? "") }
          : { reason: `status ${statusCode}` },
      );
    });
    outgoing.end();
  });
