import { existsSync, readFileSync, rmSync } from "node:fs";
import { AppError } from "../../../domain/errors.ts";
import { isoSeconds, shellQuote } from "../../../domain/text.ts";
import { replaceDurably } from "../../../platform/durable-file.ts";

// A file next to the database tells commands and the daemon about a handover. While the file says
// that a last copy is being made or was made, nothing may be written, because another server
// continues from that copy.

export type Handover = {
  /**
   * - `asked`: a command asks the daemon for a handover
   * - `begun`: nothing is written any more, and the last copy is being made
   * - `done`: the last copy was made
   * - `failed`: the daemon accepts writes again
   */
  state: "asked" | "begun" | "done" | "failed";
  /** The folder of the copies. */
  to: string;
  /** When the handover was asked for, began or was done; epoch milliseconds. */
  at: number;
  /** The name of the last copy; set in the state `done`. */
  copy?: string;
  /** Why the last copy could not be made; set in the state `failed`. */
  reason?: string;
};

/**
 * Identifies a server by the path of its database. The file of the handover is next to the
 * database.
 */
type Place = { databasePath: string };

const pathOf = ({ databasePath }: Place): string => `${databasePath}.handover`;

/** @throws AppError state_refuses if the file cannot be read, or is not from deskbell */
export function readHandover(place: Place): Handover | undefined {
  const path = pathOf(place);
  if (!existsSync(path)) return undefined;
  const handover = parse(path);
  if (handover !== undefined) return handover;
  throw new AppError("state_refuses", `${path} is damaged, or not from deskbell.`, {
    fix: `find out whether another server has taken over; if none has, rm ${shellQuote(path)}`,
  });
}

function parse(path: string): Handover | undefined {
  try {
    const handover = JSON.parse(readFileSync(path, "utf8")) as Partial<Handover> | null;
    const isValid =
      ["asked", "begun", "done", "failed"].includes(handover?.state ?? "") &&
      typeof handover?.to === "string" &&
      Number.isSafeInteger(handover.at);
    return isValid ? (handover as Handover) : undefined;
  } catch {
    return undefined;
  }
}

export const saveHandover = (place: Place, handover: Handover): void =>
  replaceDurably(pathOf(place), JSON.stringify(handover));

export const forgetHandover = (place: Place): void => rmSync(pathOf(place), { force: true });

/**
 * Returns whether another command has asked for a handover since a request was read.
 * @param asked the request; undefined if there was none
 */
export function isAskedByAnother(place: Place, asked: Handover | undefined): boolean {
  const now = readHandover(place);
  return now?.state === "asked" && (now.at !== asked?.at || now.to !== asked.to);
}

/**
 * Returns whether the last copy is being made. A backup that is made in this state has all that the
 * server will ever store.
 */
export const isMakingLastCopy = (place: Place): boolean => readHandover(place)?.state === "begun";

/**
 * Asserts that no other server continues, or is about to continue, from a last copy of these data.
 * @throws AppError state_refuses
 */
export function assertNotHandedOver(place: Place): void {
  const handover = readHandover(place);
  if (handover?.state === "begun")
    throw new AppError("state_refuses", "The data are being handed over to another server.", {
      fix: "wait until the handover has ended; if it was interrupted, deskbell handover --cancel",
    });
  if (handover?.state !== "done") return;
  throw new AppError(
    "state_refuses",
    `The data were handed over on ${isoSeconds(handover.at)} with the copy ${handover.copy} in ${handover.to}: another server continues from there, and would not know a change here.`,
    {
      fix: `run the command on that server; to return to this one, hand over there, then run deskbell restore --latest ${shellQuote(handover.to)} here; if no server has restored the copy, deskbell handover --cancel`,
    },
  );
}
