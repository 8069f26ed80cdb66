import type { KeyUsage } from "../../app/keys.ts";
import type { Runtime } from "../../app/runtime.ts";
import { assertMayAskToRotate } from "../../app/self-rotation.ts";
import type { NeededScope } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import type { AnyCredential, Credential, PartnerCredential } from "../../store/keys.ts";
import { getHeader, type RequestContext } from "../pipeline/request-context.ts";
import {
  type AccessCheck,
  createAccessCheck,
  notPartnerError,
  notReachedError,
} from "./access-check.ts";
import {
  addressGroup,
  addressNetwork,
  type GetClientAddress,
  type RequestClient,
} from "./client-address.ts";
import {
  createKeyFinder,
  findAtBusiness,
  findKeyAgain,
  findPartnerAgain,
  isPartner,
  type KnownKey,
  type KnownPartner,
} from "./known-keys.ts";
import { type RateLimits, RequestLimits, type WindowUse } from "./rate-limits.ts";

/** Decides who may do what, and how often. */
export class AccessControl {
  readonly #rt: Runtime;
  readonly #keyUsage: KeyUsage;
  readonly #recordUsage: ReturnType<typeof createUsageRecorder>;
  readonly #limits: RequestLimits;
  readonly #getClientAddress: GetClientAddress;
  readonly #check: AccessCheck;
  readonly #findKey: ReturnType<typeof createKeyFinder>;
  readonly #warnOnce: ReturnType<typeof createWarnOnce>;
  readonly #ignoresForwardedFor: boolean;

  constructor(
    rt: Runtime,
    keyUsage: KeyUsage,
    limits: RateLimits,
    getClientAddress: GetClientAddress,
  ) {
    this.#rt = rt;
    this.#keyUsage = keyUsage;
    this.#limits = new RequestLimits(limits, getClientAddress);
    this.#getClientAddress = getClientAddress;
    this.#check = createAccessCheck(getClientAddress);
    this.#findKey = createKeyFinder(rt);
    this.#warnOnce = createWarnOnce(rt);
    this.#recordUsage = createUsageRecorder(keyUsage, this.#warnOnce);
    this.#ignoresForwardedFor = rt.config.http.trustedProxies.length === 0;
  }

  /**
   * Returns the key of a request to a route that needs a key. Checks the key, business, scope and
   * rate limit, in this order.
   * @param isRotation whether the request rotates its key, or repeats an earlier rotation
   */
  authorize(
    context: RequestContext,
    slug: string,
    scope: NeededScope,
    isRotation = false,
  ): Credential {
    const known = this.#getKeyOrCountFailure(context, slug, isRotation);
    const { key } = known;
    context.keyId = key.id;
    const error = this.#check.findAccessError(context, key, slug, scope);
    if (error) {
      this.#limits.addKeyHeaders(context, known);
      throw error;
    }
    this.#limitByKey(context, known);
    if (isRotation) assertMayAskToRotate(key, context.now);
    if (this.#ignoresForwardedFor && getHeader(context.request, "x-forwarded-for") !== undefined)
      this.#warnOnce("x-forwarded-for", "Ignoring X-Forwarded-For: set --trusted-proxy");
    return key;
  }

  /**
   * Returns the key of a request to a route whose path names no business. The key must belong to a
   * partner of several businesses. A request that is refused for its address or scope also counts
   * against the limits of the partner.
   */
  authorizePartner(context: RequestContext, scope: NeededScope): PartnerCredential {
    const known = this.#findOrCountFailure(context);
    context.keyId = known.key.id;
    if (!isPartner(known)) {
      this.#limits.addKeyHeaders(context, known);
      throw notPartnerError(known.key);
    }
    this.#limits.takePartner(context, known);
    const { key } = known;
    this.#check.assertAllowed(context, key, scope);
    this.#recordUsage(context, key);
    return key;
  }

  /**
   * Returns the key of a request to a public route whose parameters require a key. `limitPublic`
   * has already counted the request. The request is counted a second time only if the
   * authentication fails or if the key's partner does not reach the business.
   */
  authenticate(context: RequestContext, slug: string | undefined, scope: NeededScope): Credential {
    // No business has the empty slug, so a key for several businesses is refused without a slug.
    const { key } = this.#getKeyOrCountFailure(context, slug ?? "");
    context.keyId = key.id;
    const error = this.#check.findAccessError(context, key, slug ?? key.businessSlug, scope);
    if (error) throw error;
    return key;
  }

  /**
   * Returns the key of a request to a route that needs no key; undefined if the request has none. A
   * request is counted only if its authentication fails or if the key's partner does not reach the
   * business.
   * @param slug the business in the path; undefined for a route whose path names no business
   * @throws AppError if the key is invalid, belongs to another business, must not be used from the
   * client's address, or is for several businesses and there is no slug
   */
  identify(context: RequestContext, slug: string | undefined): Credential | undefined {
    if (getHeader(context.request, "authorization") === undefined) return undefined;
    return this.authenticate(context, slug, "anyKey");
  }

  /**
   * Returns the key of a request that has waited. The key is read again, because it may have
   * changed, expired or been revoked.
   */
  authenticateAgain({ request }: RequestContext): Credential {
    return findKeyAgain(this.#rt, request);
  }

  /** Returns the key of a partner whose request has waited, as `authenticateAgain` does. */
  authenticatePartnerAgain({ request }: RequestContext): PartnerCredential {
    return findPartnerAgain(this.#rt, request);
  }

  /**
   * Limits a request to a public route of a business: by the key if it is valid and belongs to the
   * business, else by the client's address.
   */
  limitPublic(context: RequestContext, slug: string): void {
    const known = this.#findValidKey(context, slug);
    if (known) this.#limitByKey(context, known);
    else this.#limits.takePublic(context);
  }

  /**
   * Limits a request by the client's address. The route is outside /v1/businesses and needs no key.
   */
  limitOpen(context: RequestContext): void {
    this.#limits.takeOpen(context);
  }

  /** Returns what a key has used of its rate limits, without counting a request. */
  readLimits(context: RequestContext, key: Credential): WindowUse[] {
    return this.#limits.readKey(context, key);
  }

  /** Returns the client to whose account the CPU time of a request is charged. */
  getClient({ keyId, request }: RequestContext): RequestClient {
    if (keyId !== null) return { id: keyId, network: undefined, isKey: true };
    const address = this.#getClientAddress(request);
    return { id: addressGroup(address), network: addressNetwork(address), isKey: false };
  }

  /**
   * Returns the key of a request to a business. A failed authentication counts against the client's
   * address. If a partner sends a request to a business that it does not reach, the request counts
   * against the partner.
   */
  #getKeyOrCountFailure(context: RequestContext, slug: string, isRotation = false): KnownKey {
    const known = this.#findOrCountFailure(context, isRotation);
    if (!isPartner(known)) return known;
    const atBusiness = findAtBusiness(this.#rt, known, slug);
    if (atBusiness) return atBusiness;
    context.keyId = known.key.id;
    this.#limits.takePartner(context, known);
    throw this.#check.findAddressError(context, known.key) ?? notReachedError(slug);
  }

  #findOrCountFailure(context: RequestContext, isRotation = false): KnownKey | KnownPartner {
    try {
      return this.#findKey(context, isRotation);
    } catch (error) {
      if (error instanceof AppError) this.#limits.takeFailure(context);
      throw error;
    }
  }

  /** Counts a request against the limits of its key, and records the use of the key. */
  #limitByKey(context: RequestContext, known: KnownKey): void {
    context.keyId = known.key.id;
    this.#limits.takeKey(context, known);
    if (known.partner !== null) this.#keyUsage.record(known.partner.key.id, context.now);
    this.#recordUsage(context, known.key);
  }

  /**
   * Returns the request's key at a business; undefined if the key is missing, invalid or may not be
   * used there.
   */
  #findValidKey(context: RequestContext, slug: string): KnownKey | undefined {
    if (getHeader(context.request, "authorization") === undefined) return undefined;
    try {
      const found = this.#findKey(context);
      const known = isPartner(found) ? findAtBusiness(this.#rt, found, slug) : found;
      if (known === undefined) return undefined;
      return this.#check.findAccessError(context, known.key, slug, "anyKey") ? undefined : known;
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

/** Returns a function that records the use of a key, and warns if a browser sent a secret key. */
function createUsageRecorder(keyUsage: KeyUsage, warnOnce: ReturnType<typeof createWarnOnce>) {
  return ({ request, now }: RequestContext, key: AnyCredential): void => {
    keyUsage.record(key.id, now);
    if (key.kind !== "SECRET" || getHeader(request, "origin") === undefined) return;
    keyUsage.recordBrowser(key.id, now);
    warnOnce(key.id, "a browser sent a secret key: rotate the key", {
      key: key.id,
      name: key.name,
    });
  };
}

/** Returns a function that logs a warning only once for each ID. */
function createWarnOnce(rt: Runtime) {
  const warned = new Set<string>();
  return (id: string, message: string, fields: Record<string, string> = {}): void => {
    if (warned.has(id)) return;
    warned.add(id);
    rt.log("warn", message, fields);
  };
}
