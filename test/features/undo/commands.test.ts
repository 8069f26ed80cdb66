import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../support/cli.ts";

const FILE = `catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00 }
  - { key: spa, name: Spa, durationMin: 60, price: 90.00 }
`;

/** Returns a terminal with a business at version 3, and the export of each version. */
async function openHistory() {
  const { deskbell, dataDir } = createTerminal();
  const exports = [""];
  const run = async (line: string, stdin = "") => {
    expect(await deskbell(line, stdin)).toMatchObject({ code: 0 });
    exports.push((await deskbell("catalog export")).stdout);
  };
  await run("catalog apply -", FILE);
  await run("services update cut --price 45.00");
  await run("catalog apply - --prune", FILE.replace(/\n.*Spa.*/, "").replace("40.00", "45.00"));
  const onTerminal = createTerminal({ dataDir, isTTY: true, columns: 80 }).deskbell;
  return { deskbell, onTerminal, exports };
}

test("catalog apply ends with the command to undo it, unless the business is new", async () => {
  const { deskbell } = createTerminal();
  expect((await deskbell("catalog apply -", FILE)).stderr).not.toContain("undo");
  expect((await deskbell("catalog apply -", FILE.replace("40.00", "41.00"))).stderr).toMatch(
    /\nTo go back: deskbell catalog undo --business joes\n$/,
  );
});

test("catalog undo restores the price of a size even if the dish has no price of its own", async () => {
  const { deskbell } = createTerminal();
  const market =
    "{ key: fish, name: Fish, priceType: market, sizes: [{ key: half, name: Half, price: 9.00 }] }";
  await deskbell("catalog apply -", `${FILE}menu:\n  items: [${market}]\n`);
  expect((await deskbell("menu update fish --size half --price 10")).code).toBe(0);
  expect((await deskbell("catalog undo --yes")).code).toBe(0);
  const { stdout } = await deskbell("menu show fish --json");
  expect(JSON.parse(stdout).data).toMatchObject({ priceCents: 0, sizes: [{ priceCents: 900 }] });
});

test("catalog undo restores the public page that a catalog file without a public page has removed", async () => {
  const { deskbell } = createTerminal();
  const listPublished = async () =>
    JSON.parse((await deskbell("status --json")).stdout).data.publishedBusinesses as string[];
  await deskbell("catalog apply -", FILE);
  const legal = "--privacy-url https://joes.example/p --imprint-url https://joes.example/i";
  await deskbell(`businesses publish joes ${legal}`);
  expect(await listPublished()).toHaveLength(1);
  expect((await deskbell("catalog apply - --yes", FILE)).code).toBe(0);
  expect(await listPublished()).toEqual([]);
  expect((await deskbell("catalog undo --yes")).code).toBe(0);
  expect(await listPublished()).toHaveLength(1);
});

test("catalog undo restores lists that a catalog file has emptied, and adds an entry to the audit log", async () => {
  const { deskbell } = createTerminal();
  const staffed = `${FILE.replace("price: 40.00 }", "price: 40.00, staff: [mia] }")}staff: [{ key: mia, name: Mia }]
hours: [{ days: mon-fri, start: "09:00", end: "17:00" }]
`;
  await deskbell("catalog apply -", staffed);
  await deskbell("services update spa --price 95.00");
  const before = (await deskbell("catalog export")).stdout;
  const unstaffed = staffed.replace(", staff: [mia]", "").replace(/^hours: .*/m, "hours: []");
  expect(await deskbell("catalog apply - --yes", unstaffed)).toMatchObject({ code: 0 });
  expect(await deskbell("catalog undo --yes")).toMatchObject({ code: 0 });
  expect((await deskbell("catalog export")).stdout).toBe(before);
  const { stdout } = await deskbell("audit list --json --limit 1");
  expect(JSON.parse(stdout)).toMatchObject({
    data: [{ action: "catalog.undone", details: { restored: 2, updated: 2, fields: ["hours"] } }],
  });
});

test("catalog history lists who changed what and when, newest first", async () => {
  const { deskbell, onTerminal } = await openHistory();
  const { stdout } = await deskbell("catalog history joes");
  expect(stdout.replaceAll(/20\S+Z\t[^\t]+/g, "TIME\tACTOR")).toBe(
    "3\tTIME\tACTOR\tapply\t1 deleted\tstdin\n" +
      "2\tTIME\tACTOR\tedit\t1 updated\tcut\n" +
      "1\tTIME\tACTOR\tapply\t2 created\tstdin\n",
  );
  const json = await deskbell("catalog history --limit 1 --json");
  expect(JSON.parse(json.stdout)).toEqual({
    data: [
      {
        version: 3,
        fromVersion: 2,
        at: expect.stringMatching(/Z$/),
        via: "cli",
        actor: { id: expect.stringMatching(/^uid:/), name: expect.any(String) },
        action: "catalog.applied",
        details: expect.objectContaining({ files: ["stdin"], created: 0, deleted: 1 }),
      },
    ],
  });
  expect(json.stderr).toBe("There are older changes: add a larger --limit.\n");
  const lines = stripVTControlCharacters((await onTerminal("catalog history")).stdout).split("\n");
  expect(lines[0]).toMatch(/^VERSION +TIME +ACTOR +CHANGE +WHAT +FROM$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
});

test("catalog show prints an earlier version exactly as catalog export printed it at the time", async () => {
  const { deskbell, exports } = await openHistory();
  for (const version of [1, 2, 3])
    expect((await deskbell(`catalog show --version ${version}`)).stdout).toBe(exports[version]);
  const out = join(createTempFolder(), "before.yaml");
  expect(await deskbell(`catalog show --version 1 --out ${out}`)).toMatchObject({ code: 0 });
  expect(readFileSync(out, "utf8")).toBe(exports[1]);
  expect(await deskbell("catalog show --version 9")).toMatchObject({
    code: 3,
    stderr:
      "error: joes has no version 9: the newest is 3.\n" +
      "fix: choose a version from deskbell catalog history joes (exit 3)\n",
  });
  expect(await deskbell("catalog show")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Missing --version."),
  });
});

test("catalog diff --version shows what restoring the version would change", async () => {
  const { deskbell } = await openHistory();
  expect(await deskbell("catalog diff --version 1")).toMatchObject({
    code: 8,
    stdout: expect.stringMatching(
      /^update\tservice\tcut\tprice 45\.00 -> 40\.00\t\S+\ncreate\tservice\tspa\t\t\S+\n$/,
    ),
    stderr: expect.stringContaining("joes: would change version 3 -> 4"),
  });
  expect(await deskbell("catalog diff --version 3")).toMatchObject({ code: 0, stdout: "" });
  for (const line of ["catalog diff", "catalog diff joes.yaml --version 1"])
    expect(await deskbell(line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Give either catalog files or --version."),
    });
});

test("catalog undo restores the previous version, and says what it undid and how to go back", async () => {
  const { deskbell, exports } = await openHistory();
  const text = async () => (await deskbell("catalog export")).stdout;
  const undone = "the apply of stdin by \\S+ \\(version 3, 20\\S+Z\\)";
  const dryRun = await deskbell("catalog undo --dry-run");
  expect(dryRun).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^create\tservice\tspa\t\t\S+\n$/),
    stderr: expect.stringMatching(
      new RegExp(
        `^joes: undoing ${undone} restores version 2 of the catalog\\.\n` +
          "joes: would change version 3 -> 4, .*\nDry run: nothing was saved\\.\n$",
      ),
    ),
  });
  expect(await text()).toBe(exports[3]);
  expect(await deskbell("catalog undo --yes")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      new RegExp(
        `^joes: undoing ${undone} restores version 2 of the catalog\\.\n` +
          `joes: version 3 -> 4, 2 events \\(service\\.created, catalog\\.changed\\), 0 webhooks to send\\.\n` +
          "joes: the catalog is again as it was at version 2\\.\n" +
          "To take this undo back: deskbell catalog undo --business joes\n$",
      ),
    ),
  });
  expect(await text()).toBe(exports[2]);
  const again = await deskbell("catalog undo --yes");
  expect(again.stderr).toMatch(
    /^joes: undoing the undo by \S+ that restored version 2 \(version 4, 20\S+Z\) restores version 3 of the catalog\.\n/,
  );
  expect(await text()).toBe(exports[3]);
  const { stdout } = await deskbell("catalog undo --version 1 --yes --json");
  expect(JSON.parse(stdout)).toMatchObject({ data: { slug: "joes", version: 6, restored: 1 } });
  expect(await text()).toBe(exports[1]);
});

test("catalog undo says beforehand what it undoes, and that a dish stays sold out", async () => {
  const { deskbell } = createTerminal();
  await deskbell(
    "catalog apply -",
    `${FILE}menu: { items: [{ key: soup, name: Soup, price: 9.00 }] }\n`,
  );
  await deskbell("services update cut --price 45.00");
  await deskbell("menu sold-out soup");
  const stays =
    "joes: Soup was marked as sold out after the last change of the catalog, and stays sold out. To sell it again: deskbell menu sold-out soup --undo --business joes\n";
  const refused = await deskbell("catalog undo");
  expect(refused.stderr).toMatch(/^joes: undoing the edit of cut by .*\.\n/);
  expect(refused.stderr).toContain(stays);
  await deskbell("menu sold-out soup --undo");
  const undone = await deskbell("catalog undo --yes");
  expect(undone.stderr).toMatch(/^joes: undoing the edit of cut by .*\.\n/);
  expect(undone.stderr).not.toContain("stays sold out");
});

test("catalog undo shows its changes before it asks, and changes nothing without a yes", async () => {
  const { deskbell, onTerminal, exports } = await openHistory();
  const refused = await deskbell("catalog undo");
  expect(refused).toMatchObject({
    code: 2,
    stdout: expect.stringContaining("create\tservice\tspa"),
  });
  expect(refused.stderr).toMatch(
    /error: Undoing the apply of stdin by .* needs a confirmation\.\nfix: add --yes \(exit 2\)\n$/,
  );
  for (const answer of ["", "no\n", "joes\n"])
    expect(await onTerminal("catalog undo", answer)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\? \[y\/N\] [^]*error: Nothing was changed\./),
    });
  expect((await deskbell("catalog export")).stdout).toBe(exports[3]);
  const { code, stdout } = await onTerminal("catalog undo", "y\n");
  expect({ code, tables: stdout.match(/CHANGE/g) }).toEqual({ code: 0, tables: ["CHANGE"] });
  expect((await deskbell("catalog export")).stdout).toBe(exports[2]);
});

test("catalog undo --cancel-affected counts the events of cancellations, and cancels nothing before the answer", async () => {
  const { deskbell, dataDir } = createTerminal();
  const open = `${FILE}hours: [{ days: mon-sun, start: "08:00", end: "20:00" }]\n`;
  await deskbell("catalog apply -", open.replace(/\n.*Spa.*/, ""));
  await deskbell("catalog apply -", open);
  const day = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 });
  await deskbell(`bookings create --service spa --start ${day}T10:00`);
  const { deskbell: onTerminal } = createTerminal({ dataDir, isTTY: true, columns: 200 });
  const undo = (answer: string) => onTerminal("catalog undo --cancel-affected --no-color", answer);
  const counts = "3 events (booking.cancelled, service.deleted, catalog.changed), 0 webhooks";
  expect((await undo("n\n")).stderr).toContain(counts);
  expect((await deskbell("bookings list")).stdout).toContain("CONFIRMED");
  expect((await undo("y\n")).stderr.split(counts)).toHaveLength(3);
  expect((await deskbell("bookings list")).stdout).toContain("CANCELLED");
});

test("a command that has no flag --version of its own prints the program's version if it gets --version", async () => {
  const { deskbell } = createTerminal();
  const { stdout } = await deskbell("--version");
  expect(await deskbell("catalog export --version")).toMatchObject({ code: 0, stdout });
});
