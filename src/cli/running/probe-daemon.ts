import { request } from "node:http";
import { request as requestTls } from "node:https";
import type { DaemonResponse } from "../../app/operations/doctor-checks.ts";

const PATIENCE_MS = 3000;

/** Asks a daemon of this machine whether it is well. Nothing is sent that anybody could not read: its certificate may be of any name. */
export const probeDaemon = (url: string): Promise<DaemonResponse> =>
  new Promise((resolve) => {
    const send = url.startsWith("https:") ? requestTls : request;
    const asking = send(`${url}/readyz`, {
      rejectUnauthorized: false,
      agent: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    } as Parameters<typeof requestTls>[1]);
    asking.on("error", (error: NodeJS.ErrnoException) =>
      resolve({
        reason:
          error.name === "TimeoutError" || error.name === "AbortError"
            ? `no answer in ${PATIENCE_MS / 1000} s`
            : (error.code ?? error.message),
      }),
    );
    asking.on("response", (response) => {
      response.resume();
      const { statusCode, headers } = response;
      resolve(
        statusCode === 200
          ? { at: Date.parse(headers.date ?? "") }
          : { reason: `it says ${statusCode}` },
      );
    });
    asking.end();
  });
