import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../support/cli.ts";

test("catalog import square writes a valid file, and escapes control characters in the list of what it left out", async () => {
  const folder = createTempFolder();
  const variation = {
    type: "ITEM_VARIATION",
    id: "V1",
    item_variation_data: { name: "Regular", price_money: { amount: 850, currency: "USD" } },
  };
  const item = {
    type: "ITEM",
    id: "I1",
    item_data: { name: "Bagel", product_type: "FOOD_AND_BEV", variations: [variation] },
  };
  const tax = { type: "TAX", id: "T1", tax_data: { name: "VAT \u001b[2J" } };
  writeFileSync(join(folder, "square.json"), JSON.stringify({ objects: [item, tax] }));
  const { deskbell } = createTerminal();
  const out = join(folder, "deli.yaml");
  const line = `catalog import square ${join(folder, "square.json")} --business-slug deli --timezone America/New_York --currency USD --out ${out}`;
  const imported = await deskbell(line);
  expect(imported).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(/^imported: 1 dish.*\nleft out: tax .*VAT/),
  });
  expect(imported.stderr).toContain(`next: deskbell catalog apply ${out} --dry-run\n`);
  expect(imported.stderr).not.toContain("\u001b");
  expect(await deskbell(line)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("already exists"),
  });
  expect(await deskbell(`catalog apply ${out}`)).toMatchObject({ code: 0 });
  expect((await deskbell("menu list")).stdout).toMatch(/\tBagel\t8\.50\t/);
});

test("catalog import square refuses a device file", async () => {
  const business = "--business-slug xx --timezone UTC --currency CHF";
  const line = `catalog import square /dev/zero ${business} --out -`;
  expect(await createTerminal().deskbell(line)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("/dev/zero is a device or socket, not a file.\n"),
  });
});
