import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { SALON, writeVenue } from "../../support/samples.ts";

test("catalog export as CSV lists the objects that CSV cannot contain", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${writeVenue()}`);
  const { stdout, stderr } = await deskbell("catalog export --format csv");
  expect(stdout).toMatch(/^type,key,parent_key,name,/);
  expect(stderr).toContain("Left out, because CSV cannot contain them:");
  expect(stderr).toContain("12 events");
});

test("catalog import without a format prints help on stderr and exits with 2", async () => {
  const { code, stdout, stderr } = await createTerminal().deskbell("catalog import");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("Usage: deskbell catalog import");
});

test("catalog import csv writes a catalog file that can be applied", async () => {
  const folder = createTempFolder();
  const [csv, yaml] = [join(folder, "prices.csv"), join(folder, "annes.yaml")];
  writeFileSync(csv, "type,name,price,duration_min\nservice,Cut,40.00,30\n");
  const { deskbell } = createTerminal();
  const business = "--business-slug annes --timezone Europe/Zurich --currency CHF";
  expect(await deskbell(`catalog import csv ${csv} ${business} --out ${yaml}`)).toMatchObject({
    code: 0,
    stderr: `imported: 1 service with 0 variants\nnext: deskbell catalog apply ${yaml} --dry-run\n`,
  });
  expect(await deskbell(`catalog apply ${yaml}`)).toMatchObject({ code: 0 });
  writeFileSync(csv, Buffer.from("Typ;Name;Preis\nGericht;Cr\xeape;9,50\n", "latin1"));
  expect(await deskbell(`catalog import csv ${csv} ${business}`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("name: Crêpe"),
    stderr: expect.stringContaining("was read as Windows-1252: check letters such as é."),
  });
  writeFileSync(csv, "type,name,price,duration_min\nservice,Cut,forty,30\n");
  expect(await deskbell(`catalog import csv ${csv} ${business}`)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(
      `${csv}:2  'price' must be an amount such as 35.00, not 'forty'.`,
    ),
  });
});

describe("catalog import csv", () => {
  const editPrices = async () => {
    const { deskbell } = createTerminal();
    const folder = createTempFolder();
    const [csv, yaml] = [join(folder, "prices.csv"), join(folder, "out.yaml")];
    await deskbell(`catalog apply ${SALON}`);
    const { stdout } = await deskbell("catalog export --format csv");
    const before = await deskbell("catalog export");
    writeFileSync(csv, stdout.replace(",32.00,", ",34.50,"));
    return { deskbell, csv, yaml, before: before.stdout };
  };
  const business = "--business-slug salon-aurora --timezone America/New_York --currency USD";

  test("catalog import csv shows its changes and asks for a confirmation", async () => {
    const { deskbell, csv, before } = await editPrices();
    const plan = expect.stringMatching(/^update\tservice\tkids-cut\tprice 32\.00 -> 34\.50\t/);
    expect(await deskbell(`catalog import csv ${csv} --dry-run`)).toMatchObject({ stdout: plan });
    const refused = await deskbell(`catalog import csv ${csv}`);
    expect(refused).toMatchObject({ code: 2, stdout: plan });
    expect(refused.stderr).toContain("needs a confirmation.\nfix: add --yes");
    expect((await deskbell("catalog export")).stdout).toBe(before);

    const imported = await deskbell(`catalog import csv ${csv} --yes`);
    expect(imported).toMatchObject({ code: 0, stdout: plan });
    expect(imported.stderr).toContain("version 1 -> 2, 3 events (service.updated,");
    expect((await deskbell("catalog export")).stdout).toBe(
      before.replace('price: "32.00"', 'price: "34.50"').replace("price: 32.00", "price: 34.50"),
    );
    expect(await deskbell(`catalog import csv ${csv}`)).toMatchObject({
      code: 0,
      stderr: "salon-aurora: no changes.\n",
    });
    writeFileSync(`${csv}.2`, "key,description\ncut,\n");
    expect((await deskbell(`catalog import csv ${csv}.2 --dry-run`)).stderr).toContain(
      "empty cells clear the description of 1 object.",
    );
    expect(JSON.parse((await deskbell("audit list --json --limit 1")).stdout)).toMatchObject({
      data: [{ action: "catalog.applied", details: { files: [csv], updated: 1 } }],
    });
  });

  test("catalog import csv makes local edits, about which a later apply of an older file warns", async () => {
    const { deskbell, csv, yaml, before } = await editPrices();
    await deskbell(`catalog import csv ${csv} --yes`);
    writeFileSync(yaml, before);
    const { stdout, stderr } = await deskbell(`catalog apply ${yaml} --dry-run`);
    expect(stdout).toContain("undoes a local edit of price");
    expect(stderr).toContain("would undo 1 local edit");
  });

  test("catalog import csv --out keeps the rest of an existing business unless --replace is set", async () => {
    const { deskbell, csv, yaml } = await editPrices();
    const written = await deskbell(`catalog import csv ${csv} ${business} --out ${yaml}`);
    expect(written).toMatchObject({ code: 0 });
    expect((await deskbell(`catalog diff ${yaml}`)).stdout).toMatch(
      /^update\t[^\n]*34\.50[^\n]*\n$/,
    );
    const { stdout } = await deskbell(`catalog import csv ${csv} --replace`);
    expect(stdout).toContain("name: Salon Aurora");
    expect(stdout).not.toContain("staff:");
    expect(
      await deskbell(`catalog import csv ${csv} ${business.replace("USD", "EUR")}`),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("salon-aurora exists, and its currency is USD, not EUR."),
    });
  });

  test.each([
    ["--currency CHF", "Missing --business-slug."],
    ["--business-slug joes --timezone Europe/Zurich", "Missing --currency."],
  ])("catalog import csv with %s is a usage error", async (flags, message) => {
    const csv = join(createTempFolder(), "prices.csv");
    writeFileSync(csv, "type,name,price,duration_min\nservice,Cut,40.00,30\n");
    const result = await createTerminal().deskbell(`catalog import csv ${csv} ${flags}`);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

test("catalog import csv writes to stdout with --out - and without --out", async () => {
  const { deskbell } = createTerminal();
  const folder = createTempFolder();
  const file = join(folder, "prices.csv");
  writeFileSync(file, "type,key,name,price,duration_min\nservice,cut,Cut,40.00,30\n");
  const line = `catalog import csv ${file} --business-slug joes --timezone Europe/Zurich --currency CHF`;
  const [named, unnamed] = [await deskbell(`${line} --out -`), await deskbell(line)];
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining("catalog: 1") });
  expect(named).toEqual(unnamed);
  expect(existsSync("-")).toBe(false);
});

test("catalog import csv refuses a device file", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  expect(await deskbell("catalog import csv /dev/zero")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("/dev/zero is a device or socket, not a file.\n"),
  });
});
