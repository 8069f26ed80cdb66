import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sign, signingKey } from "../../../../src/domain/webhooks/webhook-post.ts";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";

test("webhooks verify works without a data folder", async () => {
  const { deskbell } = createTerminal();
  const secret = `whsec_${"Ab1".repeat(16)}`;
  const body = '{"name":"Maniküre"}';
  const now = Math.floor(Date.now() / 1000);
  const header = (at: number) =>
    sign([signingKey(secret)], "evt_1", at, Buffer.from(body))["X-Service-Signature"];
  const folder = createTempFolder();
  const [secretFile, bodyFile] = [join(folder, "secret"), join(folder, "body.json")];
  writeFileSync(secretFile, `${secret}\n`);
  writeFileSync(bodyFile, body);
  const verify = (at: number, file: string, stdin = "") =>
    deskbell(`webhooks verify --secret-file ${secretFile} --header ${header(at)} ${file}`, stdin);
  expect(await verify(now, bodyFile)).toMatchObject({
    code: 0,
    stderr: "The signature is valid.\n",
  });
  expect(await verify(now, "-", body)).toMatchObject({ code: 0 });
  expect(await verify(now, "-", body.replace("M", "N"))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Invalid signature: no v1/),
  });
  expect(await verify(now - 3600, bodyFile)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Invalid signature: the timestamp/),
  });
  expect(await verify(now, join(folder, "none"))).toMatchObject({ code: 3 });
});

test("webhooks verify refuses a device file", async () => {
  const line = "webhooks verify --header t=1,v1=a --secret-file /dev/zero";
  expect(await createTerminal().deskbell(line)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("/dev/zero is a device or socket, not a file.\n"),
  });
});

test("webhooks receive does not read an option as the value of --status-code", async () => {
  expect(await createTerminal().deskbell("webhooks receive --status-code --help")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("--status-code needs a value"),
  });
});
