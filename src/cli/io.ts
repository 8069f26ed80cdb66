/** The three streams of a run; tests bring their own. */
export type Io = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
};

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
