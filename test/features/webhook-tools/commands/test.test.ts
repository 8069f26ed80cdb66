import { expect, test } from "vitest";
import { createTerminal } from "../../../support/cli.ts";
import { createReceiver } from "../../../support/receiver.ts";
import { SALON } from "../../../support/samples.ts";

test("webhooks test prints the request and response, and exits with 1 if the endpoint fails", async () => {
  const partner = await createReceiver([{ status: 200, body: "thanks" }, { status: 500 }]);
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell(
    `webhooks create --name till --url ${partner.url} --event all --allow-private --timeout 2s`,
  );
  const { code, stdout } = await deskbell("webhooks test till");
  expect(code).toBe(0);
  expect(stdout).toContain(`POST ${partner.url} (127.0.0.1)`);
  expect(stdout).toMatch(/^X-Service-Signature: t=\d+,v1=[0-9a-f]{64}$/m);
  expect(stdout).toMatch(/^200 in \d+ ms: thanks$/m);
  expect(await deskbell("webhooks test till --json")).toMatchObject({ code: 1 });
});
