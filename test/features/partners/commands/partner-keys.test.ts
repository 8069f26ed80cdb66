import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createTerminal } from "../../../support/cli.ts";
import { SALON } from "../../../support/samples.ts";

const HASH = "a1".repeat(32);

test("partners create-key with the hash of a key prints the key's ID, and with --dry-run only the key's name", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("partners create portal --all");
  const create = `partners create-key portal --name backup --key-hash ${HASH}`;
  expect(await deskbell(`${create} --dry-run`)).toEqual({
    code: 0,
    signal: null,
    stdout: "",
    stderr: "Would create the key 'backup'.\nDry run: nothing was saved.\n",
  });
  const { code, stdout, stderr } = await deskbell(create);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  const [, id = ""] = /^Created the key (key_\w+)\.\n$/.exec(stderr) ?? [];
  expect((await deskbell(`keys show ${id}`)).stdout).toMatch(/^name\tbackup$/m);
});

test("keys list shows the access of a partner as 'partner', and a partner's key without a secret as 'no secret'", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("partners create portal --all");
  await deskbell("partners create-key portal --name feed");
  const list = async (line: string) => (await deskbell(line)).stdout.split("\t")[2];
  expect(await list("keys list")).toMatch(/^deskbell_rk_…/);
  expect(await list("keys list --business salon-aurora")).toBe("partner");
  const countReported = async () =>
    (await deskbell("status")).stdout.match(/the key '\w+' of .* has no secret/g)?.length ?? 0;
  expect(await countReported()).toBe(0);
  const db = new Database(join(dataDir, "deskbell.db"));
  db.exec("DELETE FROM api_key_secret");
  db.close();
  expect(await list("keys list")).toBe("no secret");
  expect(await list("keys list --business salon-aurora")).toBe("partner");
  // The partner has two keys; its access to the business is not reported.
  expect(await countReported()).toBe(2);
});
