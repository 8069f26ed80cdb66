import { expect, test } from "vitest";
import { openRuntime } from "../../../src/app/runtime.ts";
import { readConfig } from "../../../src/config.ts";
import { createTerminal } from "../../support/cli.ts";
import { SALON } from "../../support/samples.ts";

test("calendars create prints a URL at the daemon's public address or at a given one", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const rt = openRuntime(readConfig({ dataDir }), 5000);
  const row = { url: "http://127.0.0.1:4100", publicUrl: "https://salon.example", startedAt: 1 };
  rt.tx(() => rt.store.daemon.save(row));
  rt.close();
  const urlOf = async (flags: string) => (await deskbell(`calendars create ${flags}`)).stdout;
  expect(await urlOf("")).toMatch(/^https:\/\/salon\.example\/v1\/businesses\/salon-aurora\//);
  expect(await urlOf("--public-url https://other.example")).toMatch(/^https:\/\/other\.example\//);
});

test("calendars create and revoke add an entry to the audit log, and a second revoke adds none", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const json = async <Data>(line: string) =>
    (JSON.parse((await deskbell(`${line} --json`)).stdout) as { data: Data }).data;
  const listAudited = () => json<{ action: string; details: object | null }[]>("audit list");
  await deskbell("calendars create");
  expect((await listAudited())[0]).toMatchObject({
    action: "calendar.created",
    details: { withGuests: false },
  });
  const [calendar] = await json<{ id: string }[]>("calendars list");
  for (let i = 0; i < 2; i++)
    expect(await deskbell(`calendars revoke ${calendar?.id}`)).toMatchObject({ code: 0 });
  const actions = (await listAudited()).map(({ action }) => action);
  expect(actions.filter((action) => action === "calendar.revoked")).toHaveLength(1);
  expect((await json<{ action: string }[]>("audit list --action calendar.revoked")).length).toBe(1);
});

test("calendars create finds the staff member by name", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const [, name] = /\t([^\t]+)\t/.exec((await deskbell("staff list")).stdout) ?? [];
  expect(await deskbell(`calendars create --staff '${name}'`)).toMatchObject({ code: 0 });
  expect((await deskbell("calendars list")).stdout).toContain(`\t${name}\t`);
});
