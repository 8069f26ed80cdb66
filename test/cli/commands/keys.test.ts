import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { hashApiKey, secretId } from "../../../src/domain/api-key.ts";
import { type CommandResult, createTerminal } from "../../support/cli.ts";
import { addRemovalHook } from "../../support/on-removal.ts";

const CAFE =
  "catalog: 1\nbusiness: { slug: joes, name: Joe's, timezone: America/New_York, currency: USD }\n";

const data = <T>(ran: CommandResult): T => (JSON.parse(ran.stdout) as { data: T }).data;

test("keys create and keys update set with --self-rotation whether a key may rotate itself", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CAFE);
  const selfRotation = async () =>
    data<{ name: string; selfRotation: boolean }[]>(await deskbell("keys list --json")).map(
      (key) => [key.name, key.selfRotation],
    );
  await deskbell("keys create --name site --scope services.read --self-rotation");
  await deskbell("keys create --name till --scope services.read");
  expect(await selfRotation()).toEqual([
    ["site", true],
    ["till", false],
  ]);
  await deskbell("keys update site --self-rotation no");
  await deskbell("keys update till --self-rotation yes");
  expect(await selfRotation()).toEqual([
    ["site", false],
    ["till", true],
  ]);
  const [entry] = data<{ action: string; details: object }[]>(await deskbell("audit list --json"));
  expect(entry).toMatchObject({ action: "key.updated", details: { selfRotation: true } });
  expect((await deskbell("keys show till")).stdout).toMatch(/^self rotation\tyes$/m);
  expect(await deskbell("keys update till --self-rotation maybe")).toMatchObject({ code: 2 });
});

test("keys rotate during an overlap says that the oldest secret ends, also in a dry run", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CAFE);
  await deskbell("keys create --name site --scope services.read");
  const overlapEnd = async () =>
    data<{ oldSecretEndsAt: string | null }>(await deskbell("keys show site --json"))
      .oldSecretEndsAt;
  expect(await overlapEnd()).toBeNull();
  expect((await deskbell("keys rotate site --overlap 1h")).stderr).not.toContain("secret before");
  const endsAt = await overlapEnd();
  expect(endsAt).toMatch(/^\d{4}-/);
  const oldest = `the secret before the last one, which was valid until ${endsAt}:`;
  expect((await deskbell("keys rotate site --dry-run")).stderr).toContain(`Would end ${oldest}`);
  expect(await overlapEnd()).toBe(endsAt);
  expect((await deskbell("keys rotate site")).stderr).toContain(`Ended ${oldest}`);
});

test("no crash of keys rotate leaves an ended secret that a restore would bring back", async () => {
  const { deskbell } = createTerminal();
  await deskbell("catalog apply -", CAFE);
  const first = await deskbell("keys create --name site --scope services.read");
  const recorded: string[] = [];
  let crashes = true;
  addRemovalHook({
    accessRevoked(_rt, ids) {
      if (crashes) throw new Error("the process was killed");
      recorded.push(...ids);
    },
  });
  const last4 = async () => data<{ last4: string }>(await deskbell("keys show site --json")).last4;
  const before = await last4();
  expect((await deskbell("keys rotate site --overlap 0s")).stderr).toContain("was killed");
  expect(await last4()).toBe(before);
  crashes = false;
  await deskbell("keys rotate site --overlap 0s --dry-run");
  const second = await deskbell("keys rotate site --overlap 1h");
  expect(recorded).toEqual([]);
  await deskbell("keys rotate site --overlap 0s");
  const secrets = [first, second].map(({ stdout }) => secretId(hashApiKey(stdout.trim())));
  expect(recorded.toSorted()).toEqual(secrets.toSorted());
});

test("a key without a secret is listed with 'no secret' until it is rotated", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("catalog apply -", CAFE);
  await deskbell("keys create --name site --scope services.read");
  const db = new Database(join(dataDir, "deskbell.db"));
  db.exec("DELETE FROM api_key_secret");
  db.close();
  expect((await deskbell("keys list")).stdout).toMatch(/^key_\w+\tsite\tno secret\t/);
  expect(data(await deskbell("keys list --json"))).toMatchObject([{ prefix: null, last4: null }]);
  await deskbell("keys rotate site");
  expect((await deskbell("keys list")).stdout).toMatch(/^key_\w+\tsite\tdeskbell_rk_…/);
});
