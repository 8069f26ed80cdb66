import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { commitOnceShown } from "../../app/commit-once-shown.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { withPathInErrors } from "../../platform/durable-file.ts";
import { shellQuote } from "../../domain/text.ts";
import { usageError } from "../failure.ts";
import type { Cli } from "../cli.ts";

/**
 * Creates and opens a file. An existing file is never overwritten, because it may hold a secret or
 * the user's edits.
 */
export function openNewFile(path: string, mode = 0o666): number {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    throw explainRefusal(path, error);
  }
}

/**
 * Asserts that `openNewFile` could create the file, without creating it: a dry run refuses what the
 * real run would refuse.
 */
export function assertNewFile(path: string): void {
  try {
    // `openNewFile` refuses an existing file whatever the permissions of its folder are.
    if (path === "" || lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw Object.assign(new Error(`${path} exists`), { code: "EEXIST" });
    // The slash at the end makes `accessSync` fail if the folder is in fact a file.
    accessSync(`${dirname(path)}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw explainRefusal(path, error);
  }
}

function explainRefusal(path: string, error: unknown): unknown {
  if (path === "") return usageError("The name of the output file is empty.", "give a file name");
  switch ((error as NodeJS.ErrnoException).code) {
    case "EEXIST":
      return new AppError("state_refuses", `${path} already exists and is not overwritten.`, {
        fix: "choose another file, or move the existing one",
      });
    case "ENOENT":
      return new AppError("resource_not_found", `The folder of ${path} does not exist.`, {
        fix: `mkdir -p ${shellQuote(dirname(path))}`,
      });
    case "ENOTDIR":
      return usageError(
        `Cannot create ${path}: ${dirname(path)} is not a folder.`,
        "choose another file",
      );
    default:
      return error;
  }
}

export function writeNewFile(path: string, content: string): void {
  const file = openNewFile(path);
  try {
    withPathInErrors(path, () => writeFileSync(file, content));
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Creates an empty file with mode 0600; `write` fills it, `discard` removes it. */
export function createPrivateFile(path: string) {
  const file = openNewFile(path, 0o600);
  return {
    write(text: string): void {
      withPathInErrors(path, () => {
        writeSync(file, text);
        fsyncSync(file);
      });
    },
    close: (): void => closeSync(file),
    discard: (): void => unlinkSync(path),
  };
}

export type NewSecret = { secret: string; owner: object };

/**
 * Creates a secret and prints it alone on stdout, so that `KEY=$(deskbell …)` works, or writes it
 * to a new file. A dry run prints no secret.
 * @param describe returns the secret to print, and the object to which it belongs, such as a key
 * @param afterShown called in the transaction, once the secret has been shown
 * @throws AppError state_refuses if stdout cannot be written to
 */
export function printSecretOnce<Created>(
  cli: Cli,
  rt: Runtime,
  outFile: string | undefined,
  create: () => Created,
  describe: (created: Created) => NewSecret,
  afterShown: (created: Created) => void = () => {},
): Created {
  if (cli.flags.dryRun) {
    if (outFile !== undefined) assertNewFile(outFile);
    const created = commitOnceShown(rt, create, () => {});
    cli.printObject(describe(created).owner);
    return created;
  }
  const file = outFile === undefined ? undefined : createPrivateFile(outFile);
  try {
    return commitOnceShown(rt, create, (created) => {
      const { secret, owner } = describe(created);
      file?.write(`${secret}\n`);
      const fix = "run the command again, with --out FILE to write to a new file";
      if (cli.flags.json)
        cli.printNow(`${cli.toJson({ data: file ? owner : { ...owner, secret } })}\n`, fix);
      else if (!file) cli.printNow(`${secret}\n`, fix);
      afterShown(created);
    });
  } catch (error) {
    file?.discard();
    throw error;
  } finally {
    file?.close();
  }
}
