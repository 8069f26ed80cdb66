import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test.each([
  {
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
    message:
      "The server at https://127.0.0.1:4100 was not asked: its certificate is for another host name.\nfix: deskbell serve --public-url URL, with the host name of the certificate",
  },
  {
    code: "ECONNREFUSED",
    message:
      "No server responds at https://127.0.0.1:4100: connection refused.\nfix: deskbell serve",
  },
])("requests tail explains the error $code of a server with TLS", async ({ code, message }) => {
  const { dataDir, deskbell } = createTerminal();
  const rt = createTestRuntime({ dataDir });
  const daemon = { url: "https://127.0.0.1:4100", startedAt: rt.now(), hasAlertUrl: false };
  rt.tx(() => rt.store.daemon.save(daemon));
  const token = join(createTempFolder(), "token");
  writeFileSync(token, "t0ken");
  vi.stubEnv("DESKBELL_METRICS_TOKEN_FILE", token);
  const cause = Object.assign(new Error(code), { code });
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed", { cause })));
  onTestFinished(() => void vi.unstubAllGlobals().unstubAllEnvs());
  const { code: exitCode, stderr } = await deskbell("requests tail");
  expect(exitCode).toBe(5);
  expect(stderr).toContain(message);
});
