import { hash, timingSafeEqual } from "node:crypto";
import { openMetricsTokens } from "../../app/operations/metrics-token.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { createLastingState } from "../lasting-state.ts";
import { getHeader, type HttpRequest } from "../pipeline/request-context.ts";
import { isLocalRequest } from "./client-address.ts";

/**
 * Recognizes operators by the metrics token. A client's address proves nothing: behind a proxy that
 * adds no header, every visitor looks like a program on this machine.
 */
export type Operators = {
  has: (request: HttpRequest) => boolean;
  /**
   * Asserts that a request has the metrics token.
   * @throws AppError missing_key, invalid_key; address_not_allowed if the server has no token
   */
  assert: (request: HttpRequest) => void;
  /** Saves for `status` and `doctor` that a program on this machine was refused. */
  flush: () => void;
};

/**
 * How long a refusal is reported. A scraper that is refused asks again within this hour, so the
 * report lasts as long as the problem.
 */
const REFUSED_LASTS_MS = 60 * 60_000;

export function createOperators(rt: Runtime): Operators {
  const tokens = openMetricsTokens(rt);
  const refused = createLastingState(rt, REFUSED_LASTS_MS, rt.store.daemon.saveMetricsRefused);
  let isLogged = false;

  const has = (request: HttpRequest): boolean => {
    const given = bearerToken(request);
    return given !== undefined && tokens.some((token) => isSameSecret(given, token));
  };
  const recordRefusal = (request: HttpRequest): void => {
    if (!isLocalRequest(request)) return;
    refused.record(request.path);
    if (isLogged) return;
    isLogged = true;
    rt.log("warn", "refused a program on this machine that asked for metrics without the token", {
      path: request.path,
      userAgent: getHeader(request, "user-agent"),
      fix: "give it the token that `deskbell metrics token` prints: deskbell guide alerts",
    });
  };
  return {
    has,
    assert(request) {
      if (has(request)) return void refused.clear();
      recordRefusal(request);
      if (tokens.length === 0)
        throw new AppError(
          "address_not_allowed",
          "Metrics require a token, and the server could not create one: see its log.",
        );
      if (bearerToken(request) === undefined)
        throw new AppError(
          "missing_key",
          "The metrics token is required: send Authorization: Bearer <TOKEN>. On the server, `deskbell metrics token` prints it.",
        );
      throw new AppError("invalid_key", "Invalid metrics token.");
    },
    flush: refused.flush,
  };
}

const bearerToken = (request: HttpRequest): string | undefined =>
  /^bearer +(\S+)$/i.exec(getHeader(request, "authorization") ?? "")?.[1];

/**
 * Returns whether two secrets are equal. Their digests have equal lengths, so the time of the
 * comparison tells nothing.
 */
const isSameSecret = (given: string, token: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
