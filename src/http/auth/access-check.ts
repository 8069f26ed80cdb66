import { isWithin } from "../../domain/addresses.ts";
import { grants, type NeededScope, type Scope } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import type { Credential, KeyRow } from "../../store/keys.ts";
import type { RequestContext } from "../pipeline/request-context.ts";
import type { GetClientAddress } from "./client-address.ts";

// access-control.ts calls these functions at every request, to check what the key of the request
// may do.

export type AccessCheck = ReturnType<typeof createAccessCheck>;

export function createAccessCheck(getClientAddress: GetClientAddress) {
  const findAddressError = (
    { request }: RequestContext,
    { cidrs }: Pick<KeyRow, "cidrs">,
  ): AppError | undefined => {
    if (cidrs.length === 0) return undefined;
    const address = getClientAddress(request);
    return isWithin(address, cidrs)
      ? undefined
      : new AppError("address_not_allowed", `This key may not be used from ${address}.`);
  };

  return {
    findAddressError,
    /** @throws AppError address_not_allowed, insufficient_scope */
    assertAllowed(context: RequestContext, key: KeyRow, scope: NeededScope): void {
      const error = findAddressError(context, key) ?? findScopeError(key, scope);
      if (error) throw error;
    },
    /**
     * Returns why a key does not give access; undefined if the key gives access. If `scope` lists
     * several scopes, one of them suffices. The business itself is not read, so the response does
     * not reveal whether another business exists.
     */
    findAccessError(
      context: RequestContext,
      key: Credential,
      slug: string,
      scope: NeededScope,
    ): AppError | undefined {
      const error = findAddressError(context, key);
      if (error) return error;
      if (slug !== key.businessSlug)
        return new AppError(
          "business_mismatch",
          `This key is for /businesses/${key.businessSlug}, not for the business in the path.`,
        );
      return findScopeError(key, scope);
    },
  };
}

/**
 * Returns the error for a key of a single business on a route that needs the key of a partner with
 * several. The error may name the business, because whoever has the key knows it.
 */
export const notPartnerError = ({ businessSlug }: Credential): AppError =>
  new AppError(
    "business_mismatch",
    `This key is for /businesses/${businessSlug}. This route needs the key of a partner with several businesses.`,
  );

/** @param slug the business in the path; empty if the path names none */
export const notReachedError = (slug: string): AppError =>
  new AppError(
    "business_mismatch",
    slug === ""
      ? "This key reaches several businesses, and the path names none of them: use the address of one that GET /v1/businesses lists."
      : "This key does not reach the business in the path; GET /v1/businesses lists those that it reaches.",
  );

const findScopeError = (key: KeyRow, scope: NeededScope): AppError | undefined =>
  scope === "anyKey" || hasOneOf(key, scope)
    ? undefined
    : new AppError(
        "insufficient_scope",
        `This key does not have the scope ${[scope].flat().join(" or ")}.`,
      );

/**
 * Returns whether a key has one of the scopes. No array is created for a single scope, because
 * every request passes here.
 */
const hasOneOf = (key: KeyRow, scope: Scope | readonly Scope[]): boolean =>
  typeof scope === "string" ? grants(key, scope) : scope.some((one) => grants(key, one));
