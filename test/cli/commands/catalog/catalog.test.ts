import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { RESTAURANT } from "../../../support/samples.ts";

const FILE = `catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00 }
  - { key: spa, name: Spa, durationMin: 60, price: 90.00 }
`;

/** Returns a terminal whose data has one small business. */
async function createShop() {
  const terminal = createTerminal();
  expect(await terminal.deskbell("catalog apply -", FILE)).toMatchObject({ code: 0 });
  return terminal;
}

test("catalog apply warns that a new time zone changes the local times of future visits, also in a dry run", async () => {
  const { deskbell } = await createShop();
  const moved = FILE.replace("Europe/Zurich", "Asia/Tokyo");
  expect((await deskbell("catalog apply - --dry-run", moved)).stderr).toContain(
    "joes: future visits and time off would keep their moments",
  );
  expect((await deskbell("catalog apply - --yes", moved)).stderr).toContain(
    "joes: future visits and time off keep their moments, so their times of day change",
  );
});

describe("catalog diff", () => {
  test("catalog diff exits with 8 if there are differences, else with 0, and saves nothing", async () => {
    const { deskbell } = await createShop();
    expect(await deskbell("catalog diff -", FILE)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "joes: no changes.\n",
    });
    const dearer = FILE.replace("40.00", "42.00");
    const differs = {
      code: 8,
      stdout: expect.stringMatching(/^update\tservice\tcut\tprice 40\.00 -> 42\.00\tsvc_\w+\n$/),
      stderr:
        "joes: would change version 1 -> 2, 3 events (service.updated, service_price.updated, catalog.changed), " +
        "0 webhooks to send.\n",
    };
    expect(await deskbell("catalog diff -", dearer)).toMatchObject(differs);
    expect(await deskbell("catalog diff -", dearer)).toMatchObject(differs);
  });

  test("catalog diff lists the local edits that an apply would undo, and deletions that need --allow-mass-delete", async () => {
    const { deskbell } = await createShop();
    await deskbell("services update cut --price 45.00");
    const { stdout, stderr } = await deskbell("catalog diff -", FILE);
    expect(stdout).toContain("price 45.00 -> 40.00, undoes a local edit of price");
    expect(stderr).toContain(
      "joes: would undo 1 local edit made since the file was last applied: cut.\n",
    );

    const tables = Array.from({ length: 6 }, (_, i) => `{ key: t${i}, maxSeats: 2 }`).join(", ");
    await deskbell("catalog apply - --yes", `${FILE}tables: [${tables}]\n`);
    const none = `${FILE}tables: []\n`;
    expect((await deskbell("catalog diff - --prune", none)).stderr).toContain(
      "joes: would delete 6 of 6 tables, which requires --allow-mass-delete.",
    );
    const allowed = await deskbell("catalog apply - --prune --allow-mass-delete --dry-run", none);
    expect(allowed.stderr).toContain("joes: would delete 6 of 6 tables.\n");
    expect(await deskbell("catalog apply - --prune", none)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^error: This would delete 6 of 6 tables\. Nothing was changed\.\nfix: .*--allow-mass-delete/,
      ),
    });
    expect(await deskbell("catalog apply - --prune --allow-mass-delete", none)).toMatchObject({
      code: 0,
    });
  });

  test("catalog diff exits with 7 for an invalid file", async () => {
    const { deskbell } = await createShop();
    expect(await deskbell("catalog diff -", FILE.replace("40.00", "4o"))).toMatchObject({
      code: 7,
      stdout: "",
    });
  });
});

describe("catalog apply", () => {
  const STAFFED = `${FILE.replace("price: 40.00 }", "price: 40.00, staff: [mia] }")}staff: [{ key: mia, name: Mia }]
hours: [{ days: mon-fri, start: "09:00", end: "17:00" }]
tables: [{ key: t1, maxSeats: 2 }]
`;
  const UNSTAFFED = STAFFED.replace(", staff: [mia]", "").replace(/^hours: .*/m, "hours: []");
  const LOSSES = "undo 1 local edit \\(spa\\), empty hours \\(1 entry\\), remove all staff of cut";

  /** Returns a terminal whose data have a service with staff and one with a local edit. */
  async function createEdited() {
    const { deskbell, dataDir } = createTerminal();
    await deskbell("catalog apply -", STAFFED);
    await deskbell("services update spa --price 95.00");
    const before = (await deskbell("catalog export")).stdout;
    const isUnchanged = async () => (await deskbell("catalog export")).stdout === before;
    return { deskbell, dataDir, isUnchanged };
  }

  test("catalog apply without a prompt refuses to undo edits, remove all staff of a service or empty a section", async () => {
    const { deskbell, isUnchanged } = await createEdited();
    for (const options of ["", "--no-prompt", "--prune --allow-mass-delete"])
      expect(await deskbell(`catalog apply - ${options}`, UNSTAFFED)).toMatchObject({
        code: 5,
        stdout: "",
        stderr: expect.stringMatching(/^error: This would undo 1 local edit \(spa\), /),
      });
    const refused = await deskbell("catalog apply -", UNSTAFFED);
    expect(refused.stderr).toMatch(
      new RegExp(
        `^error: This would ${LOSSES}\\. Nothing was changed\\.\nfix: .*add --yes \\(exit 5\\)\n$`,
      ),
    );
    expect(await isUnchanged()).toBe(true);
    const { stderr } = await deskbell("catalog apply - --dry-run", UNSTAFFED);
    expect(stderr).toContain(
      "joes: would empty hours (1 entry).\njoes: would remove all staff of cut.\n",
    );
    expect(stderr).toContain("joes: would ask for a confirmation, or require --yes.\n");
    const agreed = await deskbell("catalog apply - --dry-run --yes", UNSTAFFED);
    expect(agreed.stderr).not.toContain("confirmation");
    const applied = await deskbell("catalog apply - --yes", UNSTAFFED);
    expect(applied).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("joes: removed all staff of cut.\n"),
    });
  });

  test("catalog apply needs a confirmation before a file changes most prices by more than half", async () => {
    const { deskbell } = createTerminal();
    const file = (price: string) =>
      `${FILE}menu: { items: [${Array.from({ length: 12 }, (_, i) => `{ key: d${i}, name: D${i}, price: ${price} }`).join(", ")}] }\n`;
    await deskbell("catalog apply -", file("12.50"));
    const before = (await deskbell("catalog export")).stdout;
    expect(await deskbell("catalog apply -", file("1.00"))).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(
        "This would change 12 of 14 prices by more than half (d0 12.50 -> 1.00, d1 12.50 -> 1.00, d2 12.50 -> 1.00, …). Nothing was changed.\n",
      ),
    });
    expect((await deskbell("catalog export")).stdout).toBe(before);
    expect(await deskbell("catalog apply - --yes", file("1.00"))).toMatchObject({ code: 0 });
  });

  test("catalog apply on a terminal asks before it undoes edits, and does nothing without a yes", async () => {
    const { dataDir, isUnchanged } = await createEdited();
    const file = join(createTempFolder(), "joes.yaml");
    writeFileSync(file, UNSTAFFED);
    const { deskbell } = createTerminal({ dataDir, isTTY: true });
    expect(await deskbell(`catalog apply ${file}`, "n\n")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`This would ${LOSSES}\\. Continue\\? \\[y/N\\] `)),
    });
    expect(await isUnchanged()).toBe(true);
    expect(await deskbell(`catalog apply ${file}`, "y\n")).toMatchObject({ code: 0 });
    expect(await isUnchanged()).toBe(false);
  });

  test("catalog apply needs no confirmation for a file that only adds and updates", async () => {
    const { deskbell } = await createEdited();
    const file = STAFFED.replace("90.00", "95.00").replace("name: Mia", "name: Mia B.");
    expect(await deskbell("catalog apply -", file)).toMatchObject({ code: 0 });
    const pruned = file.replace("[{ key: t1, maxSeats: 2 }]", "[]");
    expect(await deskbell("catalog apply - --prune", pruned)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("error: This would empty tables (1 entry)."),
    });
    expect(await deskbell("catalog apply - --prune --allow-mass-delete", pruned)).toMatchObject({
      code: 0,
    });
  });
});

describe("catalog apply with several businesses", () => {
  const SERVICES = "services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00 }]\n";
  const businessOf = (slug: string) =>
    `catalog: 1\nbusiness: { slug: ${slug}, name: ${slug}, timezone: Europe/Zurich, currency: CHF }\n`;

  function writeFiles(files: Record<string, string>): string {
    const folder = createTempFolder();
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return folder;
  }

  test("catalog apply applies each file of a folder to its business and lists the businesses that change", async () => {
    const { deskbell } = createTerminal();
    const folder = writeFiles({
      "bern.yaml": businessOf("bern") + SERVICES,
      "chur.yaml": businessOf("chur") + SERVICES,
    });
    const plan = {
      code: 0,
      stdout: "bern\t0 -> 1\tnew, 1 service\t2\t0\nchur\t0 -> 1\tnew, 1 service\t2\t0\n",
    };
    expect(await deskbell(`catalog apply ${folder} --dry-run`)).toMatchObject({
      ...plan,
      stderr:
        "2 businesses: 2 would change, 4 events, 0 webhooks to send.\nDry run: nothing was saved.\n",
    });
    expect(await deskbell(`catalog apply ${folder}`)).toMatchObject({
      ...plan,
      stderr: "2 businesses: 2 changed, 4 events, 0 webhooks to send.\n",
    });
    writeFileSync(join(folder, "bern.yaml"), businessOf("bern") + SERVICES.replace("40", "42"));
    expect(await deskbell(`catalog diff ${folder}`)).toMatchObject({
      code: 8,
      stdout: "bern\t1 -> 2\t1 update\t3\t0\n",
      stderr: "2 businesses: 1 would change, 3 events, 0 webhooks to send.\n",
    });
    const verbose = await deskbell(`catalog diff ${folder} --verbose`);
    expect(verbose.stdout).toMatch(/^update\tservice\tcut\tprice 40\.00 -> 42\.00\tsvc_\w+\n$/);
    expect(verbose.stderr).toContain("bern: would change version 1 -> 2, 3 events");
    const json = JSON.parse((await deskbell(`catalog apply ${folder} --json`)).stdout) as {
      data: { slug: string; fromVersion: number; version: number }[];
    };
    expect(json.data).toMatchObject([
      { slug: "bern", fromVersion: 1, version: 2 },
      { slug: "chur", fromVersion: 1, version: 1 },
    ]);
    expect(await deskbell(`catalog diff ${folder}`)).toMatchObject({ code: 0, stdout: "" });
  });

  test("catalog apply merges the files of each subfolder and skips hidden folders", async () => {
    const { deskbell } = createTerminal();
    const folder = writeFiles({
      "bern/a.yaml": `catalog: 1\n${SERVICES}`,
      "bern/business.yaml": businessOf("bern"),
      "chur/business.yaml": businessOf("chur"),
      ".git/old.yaml": businessOf("old"),
    });
    expect(await deskbell(`catalog apply ${folder}`)).toMatchObject({
      code: 0,
      stdout: "bern\t0 -> 1\tnew, 1 service\t2\t0\nchur\t0 -> 1\tnew\t1\t0\n",
    });
  });

  test("catalog apply reports the issues of all files and changes nothing if one is invalid", async () => {
    const { deskbell } = createTerminal();
    const folder = writeFiles({
      "bern.yaml": businessOf("bern"),
      "chur.yaml": `${businessOf("chur")}areas: 1\n`,
      "genf.yaml": "catalog: 1\nbusiness: {",
      "prices.yaml": `catalog: 1\n${SERVICES}`,
    });
    const { code, stdout, stderr } = await deskbell(`catalog apply ${folder}`);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr.replaceAll(`${folder}/`, "")).toBe(
      "error: 3 errors in 3 files. Nothing was changed.\n" +
        "  chur.yaml:3:1  'areas' must be a list, not 1.\n" +
        "  genf.yaml:2:12  A bracket is not closed.\n" +
        "  prices.yaml:1:1  'business' is missing, and the files describe several: move this file to a folder with the files of " +
        "its business only.\n" +
        "fix: fix the errors listed and run the same command again (exit 7)\n",
    );
    expect((await deskbell("businesses list")).stdout).toBe("");
  });

  test("catalog apply changes no business until undoing the local edits of one business is confirmed", async () => {
    const { deskbell, dataDir } = createTerminal();
    const folder = writeFiles({
      "bern.yaml": businessOf("bern") + SERVICES,
      "chur.yaml": businessOf("chur") + SERVICES,
    });
    await deskbell(`catalog apply ${folder}`);
    await deskbell("services update cut --price 45.00 --business chur");
    writeFileSync(join(folder, "bern.yaml"), businessOf("bern") + SERVICES.replace("40", "42"));
    writeFileSync(join(folder, "chur.yaml"), businessOf("chur") + SERVICES.replace("40", "41"));
    expect(await deskbell(`catalog apply ${folder}`)).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringContaining(
        "error: This would undo 1 local edit (cut) in chur. Nothing was changed.\n",
      ),
    });
    const terminal = createTerminal({ dataDir, isTTY: true });
    expect(await terminal.deskbell(`catalog apply ${folder}`, "y\n")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("2 businesses: 2 changed"),
    });
    await deskbell("services update cut --price 46.00 --business bern");
    expect(await deskbell(`catalog apply ${folder} --yes`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("2 businesses: 1 changed"),
    });
  });

  test("catalog apply changes no business if one needs --allow-mass-delete", async () => {
    const { deskbell } = createTerminal();
    const tables = Array.from({ length: 6 }, (_, i) => `{ key: t${i}, maxSeats: 2 }`).join(", ");
    const folder = writeFiles({
      "bern.yaml": businessOf("bern"),
      "chur.yaml": `${businessOf("chur")}tables: [${tables}]\n`,
    });
    await deskbell(`catalog apply ${folder}`);
    writeFileSync(join(folder, "bern.yaml"), businessOf("bern") + SERVICES);
    writeFileSync(join(folder, "chur.yaml"), `${businessOf("chur")}tables: []\n`);
    expect((await deskbell(`catalog apply ${folder} --prune --dry-run`)).stderr).toContain(
      "chur: would delete 6 of 6 tables, which requires --allow-mass-delete.\n",
    );
    expect(await deskbell(`catalog apply ${folder} --prune`)).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringContaining(
        "error: This would delete 6 of 6 tables of chur. Nothing was changed.\n",
      ),
    });
    expect((await deskbell(`catalog diff ${folder} --prune`)).stdout).toBe(
      "bern\t1 -> 2\t1 create\t2\t0\nchur\t1 -> 2\t6 delete\t1\t0\n",
    );
    expect(await deskbell(`catalog apply ${folder} --prune --allow-mass-delete`)).toMatchObject({
      code: 0,
    });
  });
});

describe("catalog export", () => {
  test.each(["yaml", "json"])(
    "a %s file that catalog export writes has no differences from the catalog",
    async (format) => {
      const { deskbell } = createTerminal();
      await deskbell(`catalog apply ${RESTAURANT}`);
      const { stdout } = await deskbell(`catalog export --format ${format}`);
      expect(await deskbell("catalog diff - --prune", stdout)).toMatchObject({
        code: 0,
        stdout: "",
      });
    },
  );

  test("catalog export --out writes a new file, but never overwrites one", async () => {
    const { deskbell } = await createShop();
    const out = join(createTempFolder(), "joes.yaml");
    expect(await deskbell(`catalog export --out ${out}`)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `next: deskbell catalog diff ${out}\n`,
    });
    expect(readFileSync(out, "utf8")).toContain(
      "  - { key: cut, name: Cut, durationMin: 30, price: 40.00 }\n",
    );
    expect(await deskbell(`catalog export --out ${out}`)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("already exists"),
    });
  });
});

test("catalog schema describes the sections and fields of a catalog file", async () => {
  const { code, stdout } = await createTerminal().deskbell("catalog schema");
  const schema = JSON.parse(stdout) as {
    required: string[];
    properties: Record<
      string,
      { items: { properties: Record<string, { type: unknown; description: string }> } }
    >;
  };
  expect({ code, required: schema.required }).toEqual({ code: 0, required: ["catalog"] });
  const service = schema.properties.services?.items.properties;
  expect(service?.price).toEqual({
    type: ["string", "number"],
    description: expect.stringContaining("an amount such as 35.00"),
  });
  expect(service?.previousKeys?.description).toBe(
    "Former keys, oldest first; they keep the ID after a rename: a list",
  );
  expect(service?.bookable?.description).toBe("Whether visits can be booked: true or false");
  expect(service?.depositCents?.description).toBe("a whole number from 0 to 1000000000000");
  for (const [field, { description }] of Object.entries(service ?? {}))
    expect(description, field).toBeTypeOf("string");
});

describe("init", () => {
  test("init writes a catalog file that can be applied, and prints the next commands", async () => {
    const { deskbell } = createTerminal();
    const file = join(createTempFolder(), "mine.yaml");
    const created = await deskbell(`init ${file}`);
    expect(created).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining(`deskbell catalog apply ${file}\n`),
    });
    expect(await deskbell(`catalog apply ${file}`)).toMatchObject({ code: 0 });
    const [command = ""] = /keys create.*/.exec(created.stderr) ?? [];
    expect(await deskbell(command)).toMatchObject({ code: 0 });
  });

  test("init - prints the catalog and writes no file named '-'", async () => {
    const { deskbell } = createTerminal();
    const { stdout } = await deskbell("init -");
    expect(await deskbell("catalog apply -", stdout)).toMatchObject({ code: 0 });
    expect(existsSync("-")).toBe(false);
  });

  test("the file of init names the language of its texts, which its author may have to change", async () => {
    const { stdout } = await createTerminal().deskbell("init -");
    expect(stdout).toMatch(/^ {2}locale: en$/m);
  });

  test("init never overwrites a file", async () => {
    const file = join(createTempFolder(), "mine.yaml");
    writeFileSync(file, "mine");
    expect(await createTerminal().deskbell(`init ${file}`)).toMatchObject({ code: 5 });
    expect(readFileSync(file, "utf8")).toBe("mine");
  });
});

test.each(["apply", "diff"])(
  "catalog %s refuses files of another business than that of --business",
  async (command) => {
    const { deskbell } = await createShop();
    expect(await deskbell(`--business other catalog ${command} -`, FILE)).toMatchObject({
      code: 7,
      stderr:
        "error: The business in stdin is 'joes', but --business is 'other'.\nfix: use --business joes, or leave it out (exit 7)\n",
    });
    expect(await deskbell(`catalog ${command} - --business joes`, FILE)).toMatchObject({ code: 0 });
  },
);

test("DESKBELL_BUSINESS is only a default: catalog apply accepts a file of another business", async () => {
  vi.stubEnv("DESKBELL_BUSINESS", "other");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { deskbell } = createTerminal();
  expect(await deskbell("catalog apply -", FILE)).toMatchObject({ code: 0 });
});

test("catalog apply rejects a file that is not UTF-8", async () => {
  const { deskbell } = await createShop();
  const file = join(createTempFolder(), "latin.yaml");
  writeFileSync(file, FILE.replace("Spa", "Bäder"), "latin1");
  expect(await deskbell(`catalog apply ${file}`)).toMatchObject({
    code: 7,
    stderr: `error: ${file} is not valid UTF-8 text.\nfix: save it as UTF-8 in your editor (exit 7)\n`,
  });
});

test("catalog apply names the command that lists the folder of a missing file", async () => {
  const { deskbell } = await createShop();
  const folder = createTempFolder();
  expect(await deskbell(`catalog apply ${folder}/caffe.yaml`)).toMatchObject({
    code: 3,
    stderr: `error: There is no file ${folder}/caffe.yaml.\nfix: ls ${folder} (exit 3)\n`,
  });
});

test.each(["staff delete leo --yes", "catalog apply - --prune --yes"])(
  "%s says what --cancel-affected cancels, and its dry run the same or that the flag is needed",
  async (command) => {
    const { deskbell } = createTerminal();
    const day = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 });
    const shop = `${FILE}hours: [{ days: mon-sun, start: "08:00", end: "20:00" }]\nstaff:\n`;
    const withMia = `${shop}  - { key: mia, name: Mia }\n`;
    const withLeo = `${withMia}  - { key: leo, name: Leo }\n`;
    const perform = (file: string, staff: string): string =>
      file.replace("key: cut,", `key: cut, staff: [${staff}],`);
    await deskbell("catalog apply -", perform(withLeo, "mia, leo"));
    const file = perform(withMia, "mia");
    const booked = await deskbell(`bookings create --service cut --staff leo --start ${day}T10:00`);
    expect(booked).toMatchObject({ code: 0 });
    const planned = await deskbell(`${command} --dry-run`, file);
    expect(planned.stderr).toMatch(
      /would delete objects that are booked \(1 future booking: .*\), which requires --cancel-affected\.\n/,
    );
    const allowed = await deskbell(`${command} --cancel-affected --dry-run`, file);
    expect(allowed.stderr).toMatch(
      /would delete objects that are booked \(1 future booking: .*\), and cancel what is booked\.\n/,
    );
    expect((await deskbell("bookings list")).stdout).toContain("CONFIRMED");
    const visit = /\((1 future booking: .*)\), and cancel/.exec(allowed.stderr)?.[1];
    const done = await deskbell(`${command} --cancel-affected`, file);
    expect(done.stderr).toContain(`joes: cancelled ${visit}.\n`);
    for (const { stderr } of [allowed, done])
      expect(stderr).toMatch(
        /joes: .* 4 events \(booking\.cancelled, service\.updated, staff\.deleted, catalog\.changed\), 0 webhooks to send/,
      );
    expect((await deskbell("bookings list")).stdout).toContain("CANCELLED");
  },
);

test("catalog apply needs --accept-currency-change to change the currency", async () => {
  const { deskbell } = await createShop();
  const inEuro = FILE.replace("currency: CHF", "currency: EUR");
  expect(await deskbell("catalog apply -", inEuro)).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /^error: This would change the currency of joes from CHF to EUR\. Prices are not converted\. Nothing was changed\.\nfix: .*--accept-currency-change/,
    ),
  });
  const { stderr } = await deskbell("catalog apply - --dry-run", inEuro);
  expect(stderr).toContain("change the currency from CHF to EUR, which requires --accept-currency");
  const accepted = await deskbell("catalog apply - --accept-currency-change --dry-run", inEuro);
  expect(accepted.stderr).toContain("joes: would change the currency from CHF to EUR.\n");
  expect(await deskbell("catalog apply - --accept-currency-change --json", inEuro)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"currency": "EUR"'),
  });
  const { stdout } = await deskbell("catalog export --business joes");
  expect(stdout).toContain("currency: EUR");
});

test("catalog apply needs --accept-currency-change to change the decimals of the currency", async () => {
  const { deskbell, dataDir } = await createShop();
  const inForint = FILE.replaceAll("CHF", "HUF").replaceAll(".00", "");
  await deskbell("catalog apply - --accept-currency-change", inForint);
  const db = new Database(join(dataDir, "deskbell.db"));
  db.exec("UPDATE business SET doc = json_set(doc, '$.currencyDigits', 0)");
  db.close();
  expect((await deskbell("services list")).stdout).toMatch(/^cut\tCut\t4000\t/);
  expect(await deskbell("catalog apply -", inForint)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("the currency of joes HUF from 0 to 2 decimals."),
  });
});

test("services update --dry-run saves nothing", async () => {
  const { deskbell } = await createShop();
  expect(await deskbell("services update cut --price 45.00 --dry-run")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("price 40.00 -> 45.00"),
    stderr: expect.stringContaining("would change version 1 -> 2"),
  });
  expect(await deskbell("catalog diff -", FILE)).toMatchObject({ code: 0 });
});

test("catalog apply prints the current step for a large file, unless --quiet is set", async () => {
  const { deskbell } = createTerminal();
  const large = `${FILE}#${" ".repeat(9_000_000)}\n`;
  expect((await deskbell("catalog apply -", large)).stderr).toMatch(/^reading the files …\n/);
  expect((await deskbell("catalog apply - -q", large)).stderr).toBe("");
});
