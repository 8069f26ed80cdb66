import { expect, test, vi } from "vitest";
import { createTerminal } from "../../support/cli.ts";
import { SALON } from "../../support/samples.ts";

test("the address of the partner page is printed when a restricted key is created, if the server's URL is known", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const create = async (flags: string) =>
    (await deskbell(`keys create --business salon-aurora --name site ${flags}`)).stderr;
  expect(await create("--scope webhooks.write")).not.toContain("/b/");
  vi.stubEnv("DESKBELL_PUBLIC_URL", "https://desk.example/api/");
  const address = "https://desk.example/api/b/salon-aurora/partner";
  expect(await create("--scope webhooks.write")).toContain(address);
  expect(await create("--secret")).not.toContain(address);
  vi.unstubAllEnvs();
});
