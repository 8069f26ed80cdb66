import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { patient } from "./patience.ts";

export const BIN = fileURLToPath(new URL("../../bin/deskbell.js", import.meta.url));

export type Program = {
  command: readonly [string, ...string[]];
  /**
   * Whether the program runs with an empty PATH, home and current folder, so that it cannot use
   * anything of the checkout.
   */
  isStandalone: boolean;
};

export const nodeProgram = (node: string): Program => ({
  command: [node, BIN],
  isStandalone: false,
});

export const executableProgram = (path: string): Program => ({
  command: [resolve(path)],
  isStandalone: true,
});

/** Whether an emulator of another processor runs the program, which makes it slower. */
export const IS_EMULATED = process.env.DESKBELL_PROGRAM_IS_EMULATED === "1";
/** How long tests wait for the program. */
export const TIMEOUT_MS = patient(IS_EMULATED ? 300_000 : 15_000);

/** The program under test: the checkout's build, or the executable given by DESKBELL_PROGRAM. */
export const PROGRAM =
  process.env.DESKBELL_PROGRAM === undefined
    ? nodeProgram(process.execPath)
    : executableProgram(process.env.DESKBELL_PROGRAM);
