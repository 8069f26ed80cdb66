/** The three streams of a run; tests bring their own. */
export type Io = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
};

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

const USUAL_WIDTH = 80;

/** How many letters fit on a line. A terminal that nobody has told its size says 0. */
export const widthOf = ({ columns }: Output): number => columns || USUAL_WIDTH;
