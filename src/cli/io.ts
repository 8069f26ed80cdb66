export type Io = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
};

type Output = NodeJS.WritableStream & { fd?: number; isTTY?: boolean; columns?: number };

const DEFAULT_WIDTH = 80;

/** Returns the width in columns, by default 80. A terminal of unknown size reports 0. */
export const widthOf = ({ columns }: Output): number => columns || DEFAULT_WIDTH;
