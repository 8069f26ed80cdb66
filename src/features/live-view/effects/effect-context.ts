import type { Runtime } from "../../../app/runtime.ts";
import type { SendOnce } from "../../../app/webhooks/test-endpoint.ts";
import { AppError } from "../../../domain/errors.ts";
import { isStorageFull, storageError } from "../../../store/database/storage-error.ts";
import { isBusy } from "../../../store/database/write-lock.ts";
import type { TimeFormat } from "../state/time-format.ts";
import type { Feedback, UiState } from "../state/ui-state.ts";

export type EffectDeps = {
  rt: Runtime;
  settings: { timeFormat: TimeFormat };
  sendOnce: SendOnce;
  copy: (text: string) => void;
  /** Ends the view; the signal is SIGINT for Ctrl-C, and null for another key that quits. */
  quit: (signal: "SIGINT" | null) => void;
};

export type EffectContext = {
  /** Returns the current state, which keys may change while an effect runs. */
  ui: () => UiState;
  /** The number of rows that fit on the screen. */
  height: number;
  /** Aborts when the view ends. */
  signal: AbortSignal;
  update: (change: (ui: UiState) => UiState) => void;
  notify: (text: string, tone: Feedback["tone"]) => void;
};

/** Returns the text of an error to show. Rethrows an unexpected error, which then ends the view. */
export function errorMessage(error: unknown): string {
  if (error instanceof AppError)
    return error.fix === undefined ? error.message : `${error.message} fix: ${error.fix}`;
  if (isBusy(error)) return "Another program is writing. Try again in a moment.";
  if (isStorageFull(error)) return "The disk is full. Free some space and try again.";
  const storageFailure = storageError(error);
  if (storageFailure !== undefined) return errorMessage(storageFailure);
  throw error;
}
