import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type CommandResult, createTempFolder, createTerminal } from "../../../support/cli.ts";
import { SALON } from "../../../support/samples.ts";

const data = <T>(ran: CommandResult): T => (JSON.parse(ran.stdout) as { data: T }).data;

const SERVER = "--url nats://10.0.0.5:4222 --stream DESKBELL";

test("destinations are created, listed, shown, updated and deleted without printing credentials", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const password = join(createTempFolder(), "password");
  writeFileSync(password, "correct-horse\n");
  const created = await deskbell(
    `destinations create --name bus ${SERVER} --all --user shop --password-file ${password}`,
  );
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\w+\n$/) });
  expect(await deskbell("destinations list")).toMatchObject({
    stdout: expect.stringMatching(
      /^dst_\w+\tbus\tnats:\/\/10\.0\.0\.5:4222\tDESKBELL\tall\t\t\tnothing published yet\n$/,
    ),
  });
  const events = ["catalog.changed"];
  expect(
    await deskbell("destinations update bus --event catalog.changed --prefix a.b"),
  ).toMatchObject({ code: 0, stdout: "", stderr: expect.stringMatching(/^Updated dst_\w+\.\n$/) });
  const shown = await deskbell("destinations show bus --json");
  expect(data(shown)).toMatchObject({
    name: "bus",
    prefix: "a.b",
    events,
    auth: "user",
    business: null,
    businessesBehind: 0,
    skipped: [],
    isLate: false,
  });
  expect(shown.stdout).not.toMatch(/correct-horse|whsec_|sealed/);
  expect(readFileSync(join(dataDir, "deskbell.db"), "latin1")).not.toContain("correct-horse");
  expect(await deskbell("destinations redeliver bus --since 1d")).toMatchObject({
    stderr: expect.stringMatching(/^Redelivering 57 events of 1 business to dst_\w+\.\n$/),
  });
  expect((await deskbell("status")).stdout).toContain(
    "destinations\t1 to which nothing was published yet\t\n",
  );
  expect(await deskbell("keys rotate-master")).toMatchObject({ code: 0 });
  // An update of the stream reads the stored secrets.
  expect(await deskbell("destinations update bus --stream OTHER")).toMatchObject({ code: 0 });
  expect(await deskbell("destinations delete bus --yes")).toMatchObject({ code: 0 });
  expect(await deskbell("destinations list")).toMatchObject({ stdout: "" });
});

test("destinations create and update report a wrong setting with its fix", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const create = (line: string) => deskbell(`destinations create --name bus ${line} --all`);
  const error = (text: string | RegExp) => ({
    code: expect.any(Number) as number,
    stdout: "",
    stderr: expect.stringMatching(text) as string,
  });
  expect(await create("--url http://x --stream S")).toEqual({
    ...error("--url must be the URL of a NATS server, such as nats://10.0.0.5:4222."),
    signal: null,
  });
  expect(await create("--url nats://a:b@x --stream S")).toMatchObject(
    error("--url must have no password: name a file with --password-file"),
  );
  expect(await create("--url nats://x --stream a.b")).toMatchObject(
    error("--stream must have only"),
  );
  expect(await create(`${SERVER} --prefix a..b`)).toMatchObject(error("--prefix must be tokens"));
  expect(await create(`${SERVER} --event service.update`)).toMatchObject(
    error("Did you mean 'service.updated'"),
  );
  expect(await create(`${SERVER} --user a`)).toMatchObject(error("must be used together"));
  const file = join(createTempFolder(), "seed");
  writeFileSync(file, "");
  expect(await create(`${SERVER} --token-file ${file}`)).toMatchObject(error("is empty"));
  writeFileSync(file, "SUAX");
  expect(await create(`${SERVER} --nkey-file ${file}`)).toMatchObject(error("begins with SU"));
  expect(await create(`${SERVER} --ca-file ${file}`)).toMatchObject(error("in PEM format"));
  expect(await create(`${SERVER} --business salon-aurora`)).toMatchObject(
    error("--all cannot be combined with --business"),
  );
  await create(SERVER);
  expect(await create(SERVER)).toMatchObject(error("There is already a destination 'bus'"));
  expect(await deskbell("destinations show buz")).toMatchObject(error("Did you mean 'bus'"));
});

test("each change of a destination adds an entry to the audit log", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const audited = async () =>
    data<{ action: string; details: object | null }[]>(await deskbell("audit list --json"));
  const expectNewest = async (line: string, action: string, details?: object) => {
    expect(await deskbell(line)).toMatchObject({ code: 0 });
    expect((await audited())[0]).toMatchObject({ action, ...(details && { details }) });
  };
  const server = "--url nats://127.0.0.1:9 --stream S --prefix p --all";
  await expectNewest(`destinations create --name bus ${server}`, "destination.created", {
    host: "127.0.0.1:9",
  });
  const fields = ["stream"];
  await expectNewest("destinations update bus --stream T", "destination.updated", { fields });
  const { length } = await audited();
  expect(await deskbell("destinations update bus --stream T")).toMatchObject({ code: 0 });
  expect(await audited()).toHaveLength(length);
  await expectNewest("destinations redeliver bus --since 1d", "destination.redelivered");
  await expectNewest("keys rotate-master", "master_key.rotated", { secrets: 1 });
  await expectNewest("destinations delete bus --yes", "destination.deleted");
});

test("destinations create --all overrides the business of the environment, but not --business", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  vi.stubEnv("DESKBELL_BUSINESS", "salon-aurora");
  onTestFinished(() => void vi.unstubAllEnvs());
  const create = `destinations create --name bus ${SERVER} --all`;
  expect(await deskbell(`${create} --business salon-aurora`)).toMatchObject({ code: 2 });
  expect(await deskbell(create)).toMatchObject({ code: 0 });
  expect(data(await deskbell("destinations show bus --json"))).toMatchObject({ business: null });
});
