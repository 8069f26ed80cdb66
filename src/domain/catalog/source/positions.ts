/** Lines and columns count from 1; columns are UTF-16 code units. */
export type Position = { line: number; column: number };

/** Returns a function that finds the position of an offset. */
export function indexLines(text: string): (offset: number) => Position {
  const starts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n?|\n/g))
    starts.push(index + lineBreak.length);
  return (offset) => {
    let line = 0;
    for (let end = starts.length; end - line > 1;) {
      const middle = (line + end) >> 1;
      if ((starts[middle] ?? 0) <= offset) line = middle;
      else end = middle;
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}
