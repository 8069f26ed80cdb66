import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const BIN = fileURLToPath(new URL("../../bin/deskbell.js", import.meta.url));

export type Program = {
  command: readonly [string, ...string[]];
  /** Started with an empty PATH, in a HOME and a folder of its own: nothing of the checkout is in its reach. */
  isAlone: boolean;
};

export const nodeProgram = (node: string): Program => ({ command: [node, BIN], isAlone: false });

export const executableProgram = (path: string): Program => ({
  command: [resolve(path)],
  isAlone: true,
});

/** What the end-to-end tests start: the checkout's own, or the executable that DESKBELL_PROGRAM names. */
export const PROGRAM =
  process.env.DESKBELL_PROGRAM === undefined
    ? nodeProgram(process.execPath)
    : executableProgram(process.env.DESKBELL_PROGRAM);
