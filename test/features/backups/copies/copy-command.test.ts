import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runBackupCommand } from "../../../../src/features/backups/copies/copy-command.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { WAITS } from "../../../support/waits.ts";

test("the error of a --backup-command that is stopped ends with the last line of its stderr", async () => {
  const written = join(createTempFolder(), "written");
  const command = `echo "the disk is slow" >&2; touch ${written}; sleep 60 & wait`;
  const stopping = new AbortController();
  const running = runBackupCommand(command, {}, 60_000, stopping.signal);
  const failed = expect(running).rejects.toMatchObject({
    code: "state_refuses",
    message: "--backup-command was stopped: the disk is slow.",
  });
  await vi.waitFor(() => expect(existsSync(written)).toBe(true), WAITS);
  stopping.abort();
  await failed;
});
