import ipaddr from "ipaddr.js";
import type { Runtime } from "../../app/runtime.ts";
import { isWithin } from "../../domain/addresses.ts";
import type { HttpRequest } from "../pipeline/request-context.ts";
import { isLocalRequest } from "./client-address.ts";

export type SharedAddressDetector = {
  record: (request: HttpRequest) => void;
  /** Saves a change for `status` and `doctor`, which are other processes. */
  flush: () => void;
};

const PRIVATE = new Set(["private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);
/** Requests in a row from one address. */
const MIN_REQUESTS = 100;

/**
 * Detects a proxy that hides the addresses of its clients, so that all share one rate limit: it is
 * missing in --trusted-proxy, or sends no X-Forwarded-For. Then every request has the proxy's
 * address, which is a trusted or a private one. A single client in the same network looks the
 * same, so a private address other than loopback counts only if there is a public URL.
 */
export function createSharedAddressDetector(rt: Runtime): SharedAddressDetector {
  const { trustedProxies, publicUrl } = rt.config.http;
  let address: string | null = null;
  let requests = 0;
  let saved: string | null = null;

  const classify = (peer: string) => {
    const isTrusted = isWithin(peer, trustedProxies);
    const range = ipaddr.isValid(peer) ? ipaddr.process(peer).range() : "unicast";
    const isPrivate = range === "loopback" || (publicUrl !== "" && PRIVATE.has(range));
    return { peer, isTrusted, mayBeProxy: isTrusted || isPrivate };
  };
  // Consecutive requests usually have the same peer.
  let last = classify("");
  /** Returns the peer's address if it is not the client's. */
  const findProxy = (request: HttpRequest): string | null => {
    if (request.peerAddress !== last.peer) last = classify(request.peerAddress);
    const isForwarded = last.isTrusted && request.headers["x-forwarded-for"] !== undefined;
    return last.mayBeProxy && !isForwarded ? last.peer : null;
  };

  return {
    record(request) {
      // A client on this machine says nothing about the others.
      if (isLocalRequest(request)) return;
      const proxy = findProxy(request);
      requests = proxy === address ? requests + 1 : 1;
      address = proxy;
    },
    flush() {
      const shared = requests >= MIN_REQUESTS ? address : null;
      if (shared === saved) return;
      rt.tx(() => rt.store.daemon.saveSharedAddress(shared));
      saved = shared;
    },
  };
}
