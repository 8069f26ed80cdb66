import { isAddressRange } from "../domain/addresses.ts";
import { isScope, type KeyKind, SCOPES } from "../domain/api-key.ts";
import { AppError, type ValidationIssue } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import { unsafeNameError } from "../domain/text.ts";

type Limits = { limitMinute?: number | undefined; limitHour?: number | undefined };
type Input = Limits & {
  name: string;
  kind: KeyKind;
  scopes: readonly string[];
  cidrs?: readonly string[] | undefined;
  expiresAt?: number | null | undefined;
};

const MAX_NAME_LENGTH = 100;

/** @throws AppError validation_failed with all issues */
export function assertNoIssues(issues: ValidationIssue[]): void {
  if (issues.length > 0)
    throw new AppError("validation_failed", issues.map(({ detail }) => detail).join(" "), {
      issues,
    });
}

export const validateLimits = ({ limitMinute, limitHour }: Limits): ValidationIssue[] =>
  [limitMinute, limitHour]
    .filter((limit) => limit !== undefined && (!Number.isInteger(limit) || limit < 1))
    .map((limit) => ({
      code: "invalid_limit",
      detail: `Invalid limit ${limit}: expected a whole number of requests, at least 1.`,
    }));

export const validateCidrs = (cidrs: readonly string[]): ValidationIssue[] =>
  cidrs
    .filter((cidr) => !isAddressRange(cidr))
    .map((cidr) => ({
      code: "invalid_cidr",
      detail: `Invalid address range '${cidr}': expected a CIDR such as 203.0.113.0/24.`,
    }));

export const validateExpiry = (
  expiresAt: number | null | undefined,
  now: number,
): ValidationIssue[] =>
  typeof expiresAt === "number" && expiresAt <= now
    ? [{ code: "invalid_expiry", detail: "The expiry must be in the future." }]
    : [];

export function validateKey(input: Input, now: number): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const addIssue = (code: string, detail: string) => void issues.push({ code, detail });
  const name = input.name.trim();
  if (name.length === 0 || name.length > MAX_NAME_LENGTH)
    addIssue("invalid_name", `A key's name must have 1 to ${MAX_NAME_LENGTH} characters.`);
  const nameError = unsafeNameError(name);
  if (nameError !== undefined) addIssue("invalid_name", `The key's name ${nameError}`);
  if (input.kind === "RESTRICTED" && input.scopes.length === 0)
    addIssue("missing_scope", `A restricted key needs at least one scope: ${SCOPES.join(", ")}.`);
  for (const scope of input.scopes)
    if (!isScope(scope))
      addIssue(
        "unknown_scope",
        `Unknown scope '${scope}'.${didYouMean(scope, SCOPES) || ` Valid scopes: ${SCOPES.join(", ")}.`}`,
      );
  return [
    ...issues,
    ...validateCidrs(input.cidrs ?? []),
    ...validateLimits(input),
    ...validateExpiry(input.expiresAt, now),
  ];
}
