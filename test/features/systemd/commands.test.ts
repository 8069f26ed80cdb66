import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemdUnit } from "../../../src/features/systemd/commands.ts";
import { runProgram, createTempFolder } from "../../support/cli.ts";
import { PROGRAM } from "../../support/program.ts";

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
if (!hasSystemd)
  console.warn(
    "systemd-analyze is not installed, so the unit is not verified (apt-get install systemd)",
  );

/**
 * Writes a unit for a program in a folder of this name.
 * @returns the path of the unit
 */
function writeUnit(name: string): string {
  const folder = join(createTempFolder(), name);
  mkdirSync(folder);
  const program = join(folder, "deskbell");
  writeFileSync(program, "#!/bin/sh\n");
  chmodSync(program, 0o755);
  const path = join(createTempFolder(), "deskbell.service");
  writeFileSync(path, systemdUnit({ program: [program], user: "root", isInHome: false }));
  return path;
}

test.runIf(hasSystemd).each(["plain", "with space", "100%n ü;#"])(
  "systemd accepts the unit of a program in the folder '%s'",
  (name) => {
    const { status, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", "--man=no", writeUnit(name)],
      {
        encoding: "utf8",
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  },
);

test.runIf(hasSystemd)("systemd-analyze rates the exposure of the unit below 2 of 10", () => {
  const path = join(createTempFolder(), "deskbell.service");
  writeFileSync(
    path,
    systemdUnit({ program: ["/opt/deskbell"], user: "deskbell", isInHome: false }),
  );
  const output = execFileSync(
    "systemd-analyze",
    ["security", "--offline=true", "--no-pager", path],
    {
      encoding: "utf8",
    },
  );
  const exposure = Number(/exposure level for deskbell\.service: ([\d.]+)/.exec(output)?.[1]);
  expect(exposure).toBeLessThan(2);
});

test("the unit that systemd-unit prints starts the program that printed it", async () => {
  const { code, stdout, stderr } = await runProgram(["systemd-unit", "--user", "www-data"]);
  expect({ code, user: /^User=(.*)$/m.exec(stdout)?.[1] }).toEqual({ code: 0, user: "www-data" });
  expect(stdout).toContain(
    `ExecStart=${PROGRAM.command.map((word) => `"${word}"`).join(" ")} serve\n`,
  );
  expect(stdout).toMatch(/^# Created by[^]*\[Install\]\nWantedBy=multi-user.target\n$/);
  expect(stderr).toContain("sudo systemctl daemon-reload && sudo systemctl enable --now deskbell");
  // The printed command creates an equal unit.
  expect(stderr).toContain(" systemd-unit --user www-data | sudo tee ");
  const asJson = await runProgram(["systemd-unit", "--json", "-q"]);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    data: { path: "/etc/systemd/system/deskbell.service" },
  });
});

test.each([
  "/opt/$HOME/deskbell",
  '/opt/"/deskbell',
  "/opt/it's/deskbell",
  "/opt/\\x41",
  "/opt/\nExecStartPre=x",
])("systemd-unit rejects a program at %j, because systemd could not start it", (path) => {
  expect(() => systemdUnit({ program: [path], user: "deskbell", isInHome: false })).toThrow(
    "cannot start a program at this path",
  );
});

test("the unit of a program in a home folder may read home folders", () => {
  expect(
    systemdUnit({ program: ["/home/ann/deskbell"], user: "deskbell", isInHome: true }),
  ).toContain("\nProtectHome=read-only\n");
});

test.each(["root;reboot", "", "A user", "x\nExecStartPre=/bin/evil"])(
  "systemd-unit rejects --user %j",
  async (user) => {
    expect(await runProgram(["systemd-unit", "--user", user])).toMatchObject({
      code: 2,
      stdout: "",
    });
  },
);
