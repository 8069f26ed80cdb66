import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver } from "../support/receiver.ts";

// Generated files must be below this folder to resolve the packages of the client.
const CLIENT = fileURLToPath(new URL("../client/", import.meta.url));
const OPTIONS = {
  compilerOptions: {
    target: "esnext",
    module: "nodenext",
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
  },
  include: ["*.ts"],
};

async function run(program: string, args: string[], cwd: string): Promise<string> {
  const running = promisify(execFile)(process.execPath, [program, ...args], { cwd });
  const { stdout } = await running.catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${program} failed:\n${stdout}${stderr}`);
    },
  );
  return stdout;
}

test(
  "a client generated from the OpenAPI document type-checks and calls every operation",
  { timeout: 120_000 },
  async () => {
    const { dataDir, deskbell } = await createSeededSalon();
    const url = await waitForUrl(
      spawnDaemon(dataDir, "--allow-http", "--allow-private", "127.0.0.0/8"),
    );
    const partner = await createReceiver();
    const key = await deskbell("keys", "create", "--name", "client", "--secret");
    await deskbell(
      "webhooks",
      "create",
      "--name",
      "site",
      "--url",
      partner.url,
      "--event",
      "all",
      "--allow-private",
    );
    await deskbell("services", "update", "beard-trim", "--price", "77.00");
    await partner.waitForRequests(3);

    const metricsToken = await deskbell("metrics", "token");
    const folder = mkdtempSync(join(CLIENT, "generated-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(OPTIONS));
    copyFileSync(join(CLIENT, "drive.ts"), join(folder, "drive.ts"));
    const bin = (name: string) => join(CLIENT, "node_modules/.bin", name);
    await run(bin("openapi-typescript"), ["openapi.json", "--output", "api.ts"], folder);
    await run(bin("tsc"), ["--project", "tsconfig.json"], folder);

    const called = JSON.parse(
      await run("drive.ts", [url, "salon-aurora", key, partner.url, metricsToken], folder),
    ) as string[];
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(called.toSorted()).toEqual(documented.toSorted());
  },
);
