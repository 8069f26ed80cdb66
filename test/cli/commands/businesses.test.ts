import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { runProgram, startProgram, createTerminal } from "../../support/cli.ts";
import { hasTmux, openTmux } from "../../support/tmux.ts";
import { createSeededSalon } from "../../support/daemon.ts";
import { join } from "node:path";
import { SALON, writeVenue } from "../../support/samples.ts";

/** Creates a salon with a key, an endpoint and pending deliveries, and a second business. */
async function createTwoBusinesses() {
  const terminal = createTerminal();
  await terminal.deskbell(`catalog apply ${SALON}`);
  await terminal.deskbell(`catalog apply ${writeVenue()}`);
  for (const line of [
    "keys create --business salon-aurora --name site --secret",
    "webhooks create --business salon-aurora --name till --url http://127.0.0.1:9/h --event all --allow-private",
    "services update beard-trim --price 99 --business salon-aurora",
    "ticket-orders create --business kita-live --public-event night-freight --item standing",
  ])
    await terminal.deskbell(line);
  return terminal;
}

/**
 * Returns the number of rows of the second business by table, and of rows with a broken foreign
 * key.
 */
const countRows = (dataDir: string): Record<string, number> => {
  const db = new Database(join(dataDir, "deskbell.db"), { readonly: true });
  const names = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'business'",
    )
    .pluck()
    .all() as string[];
  const withBusiness = names.filter((name) =>
    db.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'business_id'").get(name),
  );
  const counts = withBusiness.map((name): [string, number] => [
    name,
    db
      .prepare(
        `SELECT count(*) FROM "${name}" WHERE business_id = (SELECT id FROM business WHERE slug = 'kita-live')`,
      )
      .pluck()
      .get() as number,
  ]);
  const orphans = db
    .prepare("SELECT count(*) FROM pragma_foreign_key_check()")
    .pluck()
    .get() as number;
  db.close();
  return { ...Object.fromEntries(counts), orphans };
};

test("businesses delete deletes all data of the business and none of another", async () => {
  const { deskbell, dataDir } = await createTwoBusinesses();
  const before = countRows(dataDir);
  const planned = await deskbell("businesses delete salon-aurora --dry-run");
  expect(planned).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(
      /^Would delete salon-aurora with \d+ catalog objects, 1 key, 1 endpoint, \d+ events, 3 deliveries \(3 not sent yet\)\.\nDry run: nothing was saved\.\n$/,
    ),
  });
  expect((await deskbell("businesses list")).stdout.match(/^\S+/gm)).toEqual([
    "kita-live",
    "salon-aurora",
  ]);

  const removed = await deskbell("businesses delete salon-aurora --yes --json");
  expect(removed).toMatchObject({ code: 0 });
  expect(JSON.parse(removed.stdout)).toMatchObject({
    data: {
      slug: "salon-aurora",
      deleted: true,
      contents: { keys: 1, endpoints: 1, unsentDeliveries: 3 },
    },
  });
  expect((await deskbell("businesses list")).stdout.match(/^\S+/gm)).toEqual(["kita-live"]);
  expect((await deskbell("keys list")).stdout).toBe("");
  expect((await deskbell("deliveries list")).stdout).toBe("");
  expect(countRows(dataDir)).toEqual(before);
  expect(before.orphans).toBe(0);
  expect(await deskbell(`catalog apply ${SALON}`)).toMatchObject({ code: 0 });
});

test("businesses delete suggests a similar slug, and needs --yes in a script", async () => {
  const { deskbell } = await createTwoBusinesses();
  expect(await deskbell("businesses delete salon-aurorra --yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Did you mean 'salon-aurora'?"),
  });
  expect(await deskbell("businesses delete salon-aurora")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/also deletes [^]*needs a confirmation\.\nfix: add --yes/),
  });
  expect((await deskbell("businesses list")).stdout).toContain("salon-aurora");
});

test.runIf(hasTmux)(
  "businesses delete on a terminal asks for the slug; another answer, Ctrl-C and Ctrl-D change nothing",
  async () => {
    const { dataDir, deskbell } = await createSeededSalon();
    const remove = ["businesses", "delete", "salon-aurora", "--data-dir", dataDir];
    const shell = openTmux(120, 30);
    const answer = async (typed: string): Promise<string> => {
      shell.press("clear", "Enter");
      await shell.start(...remove);
      await shell.waitForText(
        /Deleting salon-aurora also deletes [^]*cannot be undone\. Type salon-aurora to confirm:/,
      );
      shell.press(...(typed.startsWith("C-") ? [typed] : ["-l", `${typed}\r`]));
      // The shell also drops the rest of its command line on this signal.
      if (typed === "C-c") {
        await shell.waitForText(/to confirm:\s+ready>/);
        shell.press("-l", 'echo "exit=$? "\r');
      }
      return shell.waitForText(/exit=\d+\b/);
    };
    expect(await answer("salon")).toMatch(/nothing was changed\. \(exit 2\)\s+exit=2 /);
    expect(await answer("C-c")).toMatch(/exit=130$/m);
    expect(await answer("C-d")).toMatch(/nothing was changed\. \(exit 2\)\s+exit=2 /);
    expect(await deskbell("businesses", "list")).toContain("salon-aurora");
    expect(await answer("salon-aurora")).toMatch(/Deleted salon-aurora with [^]*exit=0 /);
    expect(await deskbell("businesses", "list")).toBe("");
  },
);

test("after businesses delete, a running daemon rejects the key of the business and serves the other businesses", async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  await deskbell("catalog", "apply", writeVenue());
  const key = await deskbell(
    "keys",
    "create",
    "--business",
    "salon-aurora",
    "--name",
    "site",
    "--secret",
  );
  const other = await deskbell(
    "keys",
    "create",
    "--business",
    "kita-live",
    "--name",
    "site",
    "--secret",
  );
  const daemon = startProgram([
    "serve",
    "--port",
    "0",
    "--log-format",
    "json",
    "--data-dir",
    dataDir,
  ]);
  const [, url] = await daemon.waitForOutput(/"serving","url":"([^"]+)"/);
  const get = async (slug: string, secret: string): Promise<number> =>
    (
      await fetch(`${url}/v1/businesses/${slug}/staff`, {
        headers: { authorization: `Bearer ${secret}` },
      })
    ).status;
  expect([await get("salon-aurora", key), await get("kita-live", other)]).toEqual([200, 200]);
  expect(
    await runProgram(["businesses", "delete", "salon-aurora", "--yes", "--data-dir", dataDir]),
  ).toMatchObject({
    code: 0,
  });
  expect([await get("salon-aurora", key), await get("kita-live", other)]).toEqual([401, 200]);
});
