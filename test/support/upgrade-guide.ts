import { readGuide } from "../../src/platform/assets.ts";

/**
 * Returns the commands of the guide that upgrade two servers: for the standby, for the server, and
 * for the standby.
 * @param dir replaces the --backup-dir that the guide names
 */
export function listUpgradeCommands(dir: string): string[] {
  const section = readGuide("upgrading").split("## A standby, and several servers")[1] ?? "";
  const block = /```sh\n([^`]+)```/.exec(section)?.[1] ?? "";
  return block
    .trim()
    .split("\n")
    .map((line) => line.replace(/^deskbell /, "").replace("/mnt/nas/deskbell", dir));
}
