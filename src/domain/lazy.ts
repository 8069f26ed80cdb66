/**
 * Returns a function that builds a value at its first call, and returns the same value at later
 * calls.
 */
export function lazy<T>(build: () => T): () => T {
  let built: { value: T } | undefined;
  return () => (built ??= { value: build() }).value;
}

/** Returns a function that computes the value of each key once. */
export function memoized<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => values.getOrInsertComputed(key, compute);
}
