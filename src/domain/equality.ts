const NONE: ReadonlySet<string> = new Set();

export const shallowEqual = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/**
 * `deepEqual` ignores no field inside of this field, because the owner of the business chooses the
 * names there.
 */
const FREELY_NAMED = "attributes";

/**
 * Compares JSON values. Fields whose names are in `ignored` are not compared at any depth, except
 * inside of `attributes`.
 */
export function deepEqual(a: unknown, b: unknown, ignored = NONE): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, i) => deepEqual(value, b[i], ignored))
    );
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) =>
        key in right &&
        (ignored.has(key) ||
          deepEqual(left[key], right[key], key === FREELY_NAMED ? NONE : ignored)),
    )
  );
}

export function differingFields(before: object, after: object): string[] {
  const left = before as Record<string, unknown>;
  const right = after as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => !deepEqual(left[name], right[name]),
  );
}
