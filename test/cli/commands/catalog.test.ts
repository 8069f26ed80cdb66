import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../support/cli.ts";

const FILE = `catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00 }
  - { key: spa, name: Spa, durationMin: 60, price: 90.00 }
`;

/** A terminal with one small business. */
async function small(options: Parameters<typeof createTerminal>[0] = {}) {
  const shell = createTerminal(options);
  expect(await shell.deskbell("catalog apply -", FILE)).toMatchObject({ code: 0 });
  return shell;
}

describe("catalog diff", () => {
  test("exits with 8 where an apply would change something, with 0 where not, and writes nothing", async () => {
    const { deskbell } = await small();
    expect(await deskbell("catalog diff -", FILE)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "joes: nothing differs.\n",
    });
    const dearer = FILE.replace("40.00", "42.00");
    const differs = {
      code: 8,
      stdout: expect.stringMatching(/^update\tservice\tcut\tprice 40\.00 -> 42\.00\tsvc_\w+\n$/),
      stderr:
        "joes: would go from version 1 to 2 with 3 events (service.updated, service_price.updated, catalog.changed), " +
        "0 webhooks to send.\n",
    };
    expect(await deskbell("catalog diff -", dearer)).toMatchObject(differs);
    expect(await deskbell("catalog diff -", dearer)).toMatchObject(differs);
  });

  test("names the edits that it would undo, and what would take --allow-mass-delete", async () => {
    const { deskbell } = await small();
    await deskbell("services set cut --price 45.00");
    const { stdout, stderr } = await deskbell("catalog diff -", FILE);
    expect(stdout).toContain("price 45.00 -> 40.00, undoes an edit of price");
    expect(stderr).toContain("joes: would undo 1 edit made on the box since the last file: cut.\n");

    const tables = Array.from({ length: 6 }, (_, i) => `{ key: t${i}, maxSeats: 2 }`).join(", ");
    await deskbell("catalog apply -", `${FILE}tables: [${tables}]\n`);
    const none = `${FILE}tables: []\n`;
    expect((await deskbell("catalog diff - --prune", none)).stderr).toContain(
      "joes: 6 of 6 table would go: that takes --allow-mass-delete.",
    );
    expect(await deskbell("catalog apply - --prune", none)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^error: This would remove 6 of 6 table\. Nothing was changed\.\nfix: .*--allow-mass-delete/,
      ),
    });
    expect(await deskbell("catalog apply - --prune --allow-mass-delete", none)).toMatchObject({
      code: 0,
    });
  });

  test("exits with 7 for a file with mistakes", async () => {
    const { deskbell } = await small();
    expect(await deskbell("catalog diff -", FILE.replace("40.00", "4o"))).toMatchObject({
      code: 7,
      stdout: "",
    });
  });
});

describe("catalog export", () => {
  test.each(["yaml", "json"])("writes what diff finds no difference in: %s", async (format) => {
    const { deskbell } = createTerminal();
    await deskbell("seed restaurant");
    const { stdout } = await deskbell(`catalog export --format ${format}`);
    expect(await deskbell("catalog diff - --prune", stdout)).toMatchObject({ code: 0, stdout: "" });
  });

  test("writes a new file, and overwrites none", async () => {
    const { deskbell } = await small();
    const out = join(createTempFolder(), "joes.yaml");
    expect(await deskbell(`catalog export --out ${out}`)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `next:  deskbell catalog diff ${out}\n`,
    });
    expect(readFileSync(out, "utf8")).toContain(
      "  - { key: cut, name: Cut, durationMin: 30, price: 40.00 }\n",
    );
    expect(await deskbell(`catalog export --out ${out}`)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("is there already"),
    });
  });

  test("as CSV says what a table has no place for", async () => {
    const { deskbell } = createTerminal();
    await deskbell("seed venue");
    const { stdout, stderr } = await deskbell("catalog export --format csv");
    expect(stdout).toMatch(/^type,key,parent_key,name,/);
    expect(stderr).toContain("A CSV file has no place for:");
    expect(stderr).toContain("12 events");
  });
});

test("catalog import csv writes a catalog file that an apply takes", async () => {
  const folder = createTempFolder();
  const [csv, yaml] = [join(folder, "prices.csv"), join(folder, "annes.yaml")];
  writeFileSync(csv, "type,name,price,duration_min\nservice,Cut,40.00,30\n");
  const { deskbell } = createTerminal();
  const business = "--business-slug annes --timezone Europe/Zurich --currency CHF";
  expect(await deskbell(`catalog import csv ${csv} ${business} --out ${yaml}`)).toMatchObject({
    code: 0,
    stderr: `taken: 1 service with 0 variants\nnext:  deskbell catalog apply ${yaml} --dry-run\n`,
  });
  expect(await deskbell(`catalog apply ${yaml}`)).toMatchObject({ code: 0 });
  writeFileSync(csv, "type,name,price,duration_min\nservice,Cut,forty,30\n");
  expect(await deskbell(`catalog import csv ${csv} ${business}`)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(
      `${csv}:2  'price' must be an amount such as 35.00, not 'forty'.`,
    ),
  });
});

test("catalog schema describes every section and field to an editor", async () => {
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
  expect(service?.previousKeys?.description).toContain("a rename keeps its id");
  for (const [field, { description }] of Object.entries(service ?? {}))
    expect(description, field).toBeTypeOf("string");
});

describe("init", () => {
  test("writes a catalog that applies as it is, and says what comes next", async () => {
    const { deskbell } = createTerminal();
    const file = join(createTempFolder(), "mine.yaml");
    const begun = await deskbell(`init ${file}`);
    expect(begun).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining(`deskbell catalog apply ${file}\n`),
    });
    expect(await deskbell(`catalog apply ${file}`)).toMatchObject({ code: 0 });
    const [command = ""] = /keys create.*/.exec(begun.stderr) ?? [];
    expect(await deskbell(command)).toMatchObject({ code: 0 });
  });

  test("overwrites nothing", async () => {
    const file = join(createTempFolder(), "mine.yaml");
    writeFileSync(file, "mine");
    expect(await createTerminal().deskbell(`init ${file}`)).toMatchObject({ code: 5 });
    expect(readFileSync(file, "utf8")).toBe("mine");
  });
});

describe("seed --size", () => {
  test("fills the box with so many objects, the same for the same number", async () => {
    const [one, other] = [createTerminal(), createTerminal()];
    for (const { deskbell } of [one, other])
      expect(await deskbell("seed --size 120 --random-seed 9")).toMatchObject({ code: 0 });
    const text = async ({ deskbell }: typeof one) => (await deskbell("catalog export")).stdout;
    expect(await text(one)).toBe(await text(other));
  });

  test.each([
    "seed",
    "seed salon --size 10",
    "seed --size 0",
    "seed --size many",
    "seed --size 101k",
  ])("%s is a usage error", async (line) => {
    expect(await createTerminal().deskbell(line)).toMatchObject({ code: 2, stdout: "" });
  });
});

test("a file that is not in UTF-8 is refused: its letters would be lost without a word", async () => {
  const { deskbell } = await small();
  const file = join(createTempFolder(), "latin.yaml");
  writeFileSync(file, FILE.replace("Spa", "Bäder"), "latin1");
  expect(await deskbell(`catalog apply ${file}`)).toMatchObject({
    code: 7,
    stderr: `error: ${file} is not text in UTF-8.\nfix: save it as UTF-8 in your editor (exit 7)\n`,
  });
});

test("a file that is not there is told of with what lists its folder", async () => {
  const { deskbell } = await small();
  const folder = createTempFolder();
  expect(await deskbell(`catalog apply ${folder}/caffe.yaml`)).toMatchObject({
    code: 3,
    stderr: `error: There is no file ${folder}/caffe.yaml.\nfix: ls ${folder} (exit 3)\n`,
  });
});

test("services set and menu set can be tried without being made", async () => {
  const { deskbell } = await small();
  expect(await deskbell("services set cut --price 45.00 --dry-run")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("price 40.00 -> 45.00"),
    stderr: expect.stringContaining("would go from version 1 to 2"),
  });
  expect(await deskbell("catalog diff -", FILE)).toMatchObject({ code: 0 });
});

test("work of more than a second says which step it is at", async () => {
  const { deskbell } = createTerminal();
  const blown = `${FILE}#${" ".repeat(9_000_000)}\n`;
  expect((await deskbell("catalog apply -", blown)).stderr).toMatch(/^reading the files …\n/);
  expect((await deskbell("catalog apply - -q", blown)).stderr).toBe("");
});
