/**
 * Returns a function that computes a result only if its input differs from the one before.
 * Consecutive requests often send equal headers.
 */
export function rememberLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { text: string; result: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}
