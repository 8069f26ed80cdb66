import { expect, test } from "vitest";
import { openRuntime } from "../../../src/app/runtime.ts";
import { readConfig } from "../../../src/config.ts";
import { createTerminal } from "../../support/cli.ts";

test("calendars create prints a URL at the public address of the daemon, unless another is given", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("seed salon");
  const rt = openRuntime(readConfig({ dataDir }), 5000);
  const row = { url: "http://127.0.0.1:4100", publicUrl: "https://salon.example", startedAt: 1 };
  rt.tx(() => rt.store.daemon.save(row));
  rt.close();
  const urlOf = async (flags: string) => (await deskbell(`calendars create ${flags}`)).stdout;
  expect(await urlOf("")).toMatch(/^https:\/\/salon\.example\/v1\/businesses\/salon-aurora\//);
  expect(await urlOf("--public-url https://other.example")).toMatch(/^https:\/\/other\.example\//);
});
