import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkSecretFiles } from "../../../src/app/operations/file-permissions.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CHECKS } from "../../support/checks.ts";
import { readConfig } from "../../../src/config.ts";
import { createTempFolder, runProgram } from "../../support/cli.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

/**
 * Creates a data folder with a master key and a backup, and outside the folder the files that
 * `serve` reads.
 */
function createServer() {
  const folder = createTempFolder();
  const tlsKey = join(folder, "tls.key");
  const metricsTokenFile = join(folder, "token");
  writeFileSync(tlsKey, "key", { mode: 0o640 });
  writeFileSync(metricsTokenFile, "token", { mode: 0o640 });
  const rt = createTestRuntime({ dataDir: join(folder, "data"), metricsTokenFile });
  rt.secrets.encrypt("secret", "whe_1");
  mkdirSync(rt.config.backupFolder);
  const backup = join(rt.config.backupFolder, "a.db");
  writeFileSync(backup, "", { mode: 0o600 });
  return { rt, tlsKey, metricsTokenFile, backup };
}

type Server = ReturnType<typeof createServer>;

describe.runIf(process.getuid)("secrets that other users can access", () => {
  const list = ({ rt, tlsKey }: Server) => checkSecretFiles(rt.config, tlsKey);

  test("private files, a data folder that others can list and a TLS key that a group can read are not reported", () => {
    const server = createServer();
    chmodSync(server.rt.config.dataDir, 0o755);
    expect(list(server)).toEqual([]);
  });

  test.each<{ what: string; mode: number; pathOf: (server: Server) => string; inData: boolean }>([
    { what: "master key", mode: 0o644, pathOf: ({ rt }) => rt.config.masterKeyPath, inData: true },
    { what: "data folder", mode: 0o777, pathOf: ({ rt }) => rt.config.dataDir, inData: true },
    { what: "database", mode: 0o640, pathOf: ({ rt }) => rt.config.databasePath, inData: true },
    { what: "backup", mode: 0o604, pathOf: ({ backup }) => backup, inData: true },
    { what: "TLS key", mode: 0o644, pathOf: ({ tlsKey }) => tlsKey, inData: false },
    { what: "token", mode: 0o644, pathOf: (server) => server.metricsTokenFile, inData: false },
  ])(
    "a secret that other users can access is reported at start and in status, and prevents a start with --strict-permissions: $what",
    ({ mode, pathOf, inData }) => {
      const server = createServer();
      const { rt, tlsKey } = server;
      const path = pathOf(server);
      chmodSync(path, mode);
      const text = `other users of this machine can access ${path}`;
      const fix = inData ? `chmod -R go= ${rt.config.dataDir}` : `chmod o= ${path}`;
      expect(list(server)).toEqual([{ text, fix }]);
      expect(readStatus(rt, CHECKS).problems.filter(({ about }) => about === "file")).toMatchObject(
        inData ? [{ about: "file", text, command: fix }] : [],
      );
      const env = { DESKBELL_STRICT_PERMISSIONS: "1" };
      const { dataDir } = rt.config;
      const { metricsTokenFile } = server;
      for (const strict of [
        readConfig({ dataDir, metricsTokenFile, strictPermissions: true }, {}),
        readConfig({ dataDir, metricsTokenFile }, env),
      ])
        expect(() => checkSecretFiles(strict, tlsKey)).toThrow(
          expect.objectContaining({
            code: "not_permitted",
            message: `--strict-permissions: ${text}.`,
            fix,
          }),
        );
    },
  );

  test("a data folder that does not exist yet is not reported", () =>
    expect(checkSecretFiles(readConfig({ dataDir: "/nowhere" }, {}), "/nowhere/key")).toEqual([]));
});

const USER = { uid: 65_534, gid: 65_534 };

test.skipIf(process.getuid?.() !== 0)(
  "a Kubernetes volume that root owns and the program's group may write to is not reported",
  async () => {
    const { rt } = createServer();
    rt.close();
    const { dataDir } = rt.config;
    const lost = join(dataDir, "lost+found");
    mkdirSync(lost, { mode: 0o700 });
    for (const name of readdirSync(dataDir, { recursive: true, encoding: "utf8" })) {
      const path = join(dataDir, name);
      chownSync(path, path === lost ? 0 : USER.uid, USER.gid);
      chmodSync(path, path === lost ? 0o700 : 0o770);
    }
    chmodSync(dirname(dataDir), 0o755);
    chownSync(dataDir, 0, USER.gid);
    chmodSync(dataDir, 0o2770);
    const status = () => runProgram(["status", "--json", "--data-dir", dataDir], USER);
    const exposed = async () => /"files\.exposed"|lost\+found/.test((await status()).stdout);
    expect(await exposed()).toBe(false);
    expect(readdirSync(dataDir)).toContain("lost+found");
    chmodSync(join(dataDir, "deskbell.db"), 0o664);
    expect((await status()).stdout).toContain(`chmod -R o= ${dataDir}`);
  },
);

test.skipIf(process.getuid?.() !== 0)(
  "serve refuses a data folder of root, and the error names the user ID that must own the folder",
  async () => {
    const dataDir = createTempFolder();
    chmodSync(dataDir, 0o755);
    const refused = await runProgram(["serve", "--port", "0", "--data-dir", dataDir], USER);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain(`user ${USER.uid} may not write to ${dataDir}.`);
    expect(refused.stderr).toContain(`fix: sudo chown ${USER.uid} ${dataDir}`);
  },
);
