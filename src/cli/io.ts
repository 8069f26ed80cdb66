/** The three streams of a run; tests bring their own. */
export type Io = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
};

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

const USUAL_WIDTH = 100;

/** How many letters of help fit on a line. */
export const widthOf = ({ columns }: Output): number => columns ?? USUAL_WIDTH;
