/**
 * Returns a function that builds a value at its first call, and returns the same value at later
 * calls.
 */
export function lazy<T>(build: () => T): () => T {
  let built: { value: T } | undefined;
  return () => (built ??= { value: build() }).value;
}
