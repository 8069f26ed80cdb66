import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signSums } from "../../.config/release/sign.ts";
import { readGuide } from "../../src/platform/assets.ts";
import { createTempFolder } from "../support/cli.ts";

const isMissing = spawnSync("ssh-keygen", ["-?"]).error !== undefined;

test.skipIf(isMissing)(
  "the command of the guide accepts a signed release, and refuses one with a changed byte",
  () => {
    const folder = createTempFolder();
    const [sums, key] = [join(folder, "SHA256SUMS"), join(folder, "key")];
    writeFileSync(sums, "aa  deskbell.tar.gz\n");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]);
    signSums(folder, key);
    writeFileSync(join(folder, "deskbell.pub"), `deskbell ${readFileSync(`${key}.pub`, "utf8")}`);
    const command = readGuide("install")
      .split("\n")
      .find((line) => line.startsWith("ssh-keygen -Y verify"));
    const verify = () => spawnSync("sh", ["-c", command ?? "false"], { cwd: folder }).status;
    expect(verify()).toBe(0);
    appendFileSync(sums, " ");
    expect(verify()).not.toBe(0);
  },
);
