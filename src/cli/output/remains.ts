import type { Remains } from "../../app/guests/erased-bytes.ts";
import type { Config } from "../../config.ts";
import type { Cli } from "../cli.ts";

/** Notes where deleted data remain, and until when. */
export function noteRemains(cli: Cli, { databasePath }: Config, remains: Remains): void {
  if (remains.inLog)
    cli.note(
      `${databasePath}-wal still has the old data, because a program reads the database. The daemon empties it within a minute after that program ends.`,
    );
  if (remains.inFreeSpace)
    cli.note(
      `The free space of ${databasePath} may still have data that version 0.2 deleted, until the daemon rewrites the file, between 3:00 and 5:00 in the night.`,
    );
}
