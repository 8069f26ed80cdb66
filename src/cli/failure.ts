import type { CommanderError } from "commander";
import {
  errorInWords,
  AppError,
  MAX_ISSUES,
  type ErrorCode,
  type ValidationIssue,
} from "../domain/errors.ts";
import { isEnvEnabled } from "../config.ts";
import { escapeJson, safe, shellQuote } from "../domain/text.ts";
import { storageError } from "../store/database/storage-error.ts";

/**
 * Exit codes. A wrong value of an option or argument is a usage error; `invalidInput` is for wrong
 * content of a file, of stdin or of a response. 129, 130, 141 and 143 are the shell's codes for
 * SIGHUP, SIGINT, SIGPIPE and SIGTERM.
 */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  permission: 4,
  conflict: 5,
  someFailed: 6,
  invalidInput: 7,
  differences: 8,
  hungUp: 129,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;

export const EXIT_CODE_OF = {
  usage: EXIT.usage,
  invalid_parameter: EXIT.usage,
  unknown_parameter: EXIT.usage,
  missing_parameter: EXIT.usage,
  missing_idempotency_key: EXIT.usage,
  invalid_cursor: EXIT.usage,
  invalid_date: EXIT.usage,
  range_too_large: EXIT.usage,
  query_too_large: EXIT.usage,
  validation_failed: EXIT.usage,
  unsafe_url: EXIT.usage,
  variant_service_mismatch: EXIT.usage,
  addon_not_linked: EXIT.usage,
  staff_cannot_perform: EXIT.usage,
  party_too_large: EXIT.usage,

  route_not_found: EXIT.notFound,
  method_not_allowed: EXIT.notFound,
  business_not_found: EXIT.notFound,
  resource_not_found: EXIT.notFound,

  not_permitted: EXIT.permission,
  missing_key: EXIT.permission,
  invalid_key: EXIT.permission,
  revoked_key: EXIT.permission,
  expired_key: EXIT.permission,
  insufficient_scope: EXIT.permission,
  business_mismatch: EXIT.permission,
  address_not_allowed: EXIT.permission,
  rotation_not_allowed: EXIT.permission,

  state_refuses: EXIT.conflict,
  conflict: EXIT.conflict,
  slot_taken: EXIT.conflict,
  price_changed: EXIT.conflict,
  hold_expired: EXIT.conflict,
  hold_used: EXIT.conflict,
  wrong_status: EXIT.conflict,
  cancellation_closed: EXIT.conflict,
  too_many_holds: EXIT.conflict,
  too_many_bookings: EXIT.conflict,
  too_many_redeliveries: EXIT.conflict,
  duplicate_endpoint: EXIT.conflict,
  cursor_expired: EXIT.conflict,
  version_mismatch: EXIT.conflict,
  idempotency_key_reused: EXIT.conflict,
  service_not_bookable: EXIT.conflict,
  rate_limited: EXIT.conflict,
  busy: EXIT.conflict,
  shutting_down: EXIT.conflict,
  storage_full: EXIT.conflict,
  storage_failed: EXIT.conflict,
  signing_unavailable: EXIT.conflict,

  invalid_input: EXIT.invalidInput,
  invalid_json: EXIT.invalidInput,
  body_too_large: EXIT.invalidInput,
  uri_too_long: EXIT.invalidInput,
  unsupported_media_type: EXIT.invalidInput,
} as const satisfies Record<ErrorCode, number>;

export type Failure = { text: string; exitCode: number };

/**
 * Returns an error about the command line.
 * @param fix a sentence or a command
 */
export const usageError = (message: string, fix?: string): AppError =>
  new AppError("usage", message, fix === undefined ? {} : { fix });

/** Returns whether to print errors as JSON, also those of a command line that cannot be parsed. */
export const wantsJson = (args: readonly string[]): boolean =>
  args.includes("--json") || isEnvEnabled("DESKBELL_JSON");

/**
 * Returns the error text for stderr and the exit code of a thrown value.
 * @param asJson makes the text `{"error": {...}}` on one line
 */
export function explainFailure(error: unknown, program: string, asJson = false): Failure {
  // Commander throws after it has printed a help text or the version.
  if (isCommanderError(error))
    return { text: "", exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  const appError = isAppError(error) ? error : (storageError(error) ?? systemError(error));
  const failure = appError ? describeAppError(appError, program) : describeBug(error);
  const { exitCode } = failure;
  return { text: asJson ? toJson(failure) : toText(failure), exitCode };
}

/** Recognises the error by its code, because the import of its class would load commander. */
const isCommanderError = (error: unknown): error is CommanderError =>
  error instanceof Error && "code" in error && String(error.code).startsWith("commander.");

/** Recognises the error by its name, because the daemon's bundle has a second copy of the class. */
const isAppError = (error: unknown): error is AppError =>
  error instanceof Error && error.name === "AppError";

type FailureDetails = {
  code: ErrorCode | "internal";
  message: string;
  /** Lines with what the message does not already say. */
  details: string[];
  issues: ValidationIssue[];
  fix: string | undefined;
  exitCode: number;
};

const describeAppError = (error: AppError, program: string): FailureDetails => ({
  code: error.code,
  message: error.message,
  details: error.issues
    .slice(0, MAX_ISSUES)
    .filter(({ detail }) => !error.message.includes(detail))
    .map(
      ({ place, detail }) =>
        `  ${place === undefined ? "" : `${safe(place)}  `}${safe(detail, 2000)}`,
    ),
  issues: error.issues.slice(0, MAX_ISSUES),
  fix: error.fix && insertProgramName(error.fix, program),
  exitCode: EXIT_CODE_OF[error.code],
});

/** Describes an unexpected error with its whole stack, so that the user can report the bug. */
function describeBug(error: unknown): FailureDetails {
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: "internal",
    message: "Internal error (this is a bug in deskbell).",
    details: shown.split("\n").map((line) => safe(line, 2000)),
    issues: [{ code: "internal", detail: shown }],
    fix: "report the bug with the lines above",
    exitCode: EXIT.failure,
  };
}

function toText({ message, details, fix, exitCode }: FailureDetails): string {
  const lines = [`error: ${safe(message, 2000)}`, ...details];
  if (fix !== undefined) lines.push(`fix: ${safe(fix, 2000)}`);
  return `${lines.join("\n")} (exit ${exitCode})\n`;
}

/**
 * Returns the error as JSON. Control characters are escaped even in a pipe, because partners chose
 * some of the names in the error.
 */
function toJson({ code, message, issues, fix }: FailureDetails): string {
  const error = { code, message, ...(issues.length > 0 && { issues }), fix };
  return `${escapeJson(JSON.stringify({ error }))}\n`;
}

/**
 * Returns the error of a command whose output cannot be written. The command has ended its work:
 * repeating it could, for example, book twice.
 */
export const outputError = (error: unknown): AppError =>
  new AppError("state_refuses", `Cannot write to stdout: ${errorInWords(error)}.`, {
    fix: "if the command changes something, it has saved it: look at the result before you run it again",
  });

/**
 * Returns an AppError for an error of the operating system that the user can fix, else undefined.
 */
function systemError(error: unknown): AppError | undefined {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const message = errorInWords(error);
  switch (code) {
    case "ENOSPC":
      return new AppError(
        "storage_full",
        path ? `The disk that holds ${path} is full.` : "The disk is full.",
        {
          fix: "free some space and try again",
        },
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new AppError("not_permitted", `Cannot access ${path ?? "a file"}: ${message}.`, {
        fix: "check the owner and the permissions of the file",
      });
    case "ENOTDIR":
    case "EISDIR":
    case "ENAMETOOLONG":
    case "ELOOP":
      return new AppError("usage", `Cannot use the path ${path ?? ""}: ${message}.`, {
        fix: "choose another path",
      });
    case "EIO":
      return new AppError(
        "storage_failed",
        `The disk that holds ${path ?? "a file"} failed: ${message}.`,
        {
          fix: "look for disk errors with dmesg; on a working disk, restore a backup: deskbell backup list",
        },
      );
    default:
      return undefined;
  }
}

/**
 * Replaces `deskbell` at the start of a command with the program as it was started, so that the
 * command can be pasted.
 */
export const insertProgramName = (fix: string, program: string): string =>
  fix.replace(/(?<![\w/.-])deskbell(?= (?:--)?[a-z…])/g, () => program);

/**
 * Adds `--business` to the commands of a fix except `catalog apply`, whose files name the business.
 * A command in a fix ends before a comma, semicolon or parenthesis.
 */
export const insertBusiness = (fix: string, slug: string): string =>
  fix.replace(
    /(?<![\w/.-])deskbell (?!catalog apply)[a-z][^,;()]*/g,
    (command) => `${command} --business ${shellQuote(slug)}`,
  );
