import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { SALON } from "../../../support/samples.ts";

const LEGAL = "--privacy-url https://salon.example/p --imprint-url https://salon.example/i";

async function openBusiness() {
  const terminal = createTerminal();
  const { deskbell } = terminal;
  expect(await deskbell(`catalog apply ${SALON}`)).toMatchObject({ code: 0 });
  const isPublished = async () =>
    (
      JSON.parse((await deskbell("status --json")).stdout) as {
        data: { publishedBusinesses: string[] };
      }
    ).data.publishedBusinesses.length === 1;
  return { deskbell, isPublished };
}

test("the page of a business is published at a URL, and can be unpublished again", async () => {
  const { deskbell, isPublished } = await openBusiness();
  const published = await deskbell("businesses publish salon-aurora --booking request");
  expect(published).toMatchObject({
    code: 0,
    stdout: "http://127.0.0.1:4100/b/salon-aurora\n",
    stderr: expect.stringContaining("27 services, 6 staff members, 5 promotions; never guests"),
  });
  expect(await isPublished()).toBe(true);
  const again = await deskbell("businesses publish salon-aurora --json");
  expect(JSON.parse(again.stdout)).toMatchObject({
    data: {
      published: true,
      url: "http://127.0.0.1:4100/b/salon-aurora",
      fromVersion: 2,
      version: 2,
    },
  });
  expect((await deskbell("businesses unpublish salon-aurora")).code).toBe(0);
  expect(await isPublished()).toBe(false);
});

test("a dry run shows what would be public, and saves nothing", async () => {
  const { deskbell, isPublished } = await openBusiness();
  const qr = join(createTempFolder(), "page.svg");
  const publish = "businesses publish salon-aurora --booking request";
  const dry = await deskbell(`${publish} --dry-run --qr ${qr}`);
  expect(dry.stderr).toContain("It would show everybody");
  expect(dry.stderr).toContain("Visits that nobody has confirmed take at most a tenth");
  expect([await isPublished(), existsSync(qr)]).toEqual([false, false]);
});

test("a page whose QR code cannot be written is not published", async () => {
  const { deskbell, isPublished } = await openBusiness();
  const folder = createTempFolder();
  for (const [qr, expected] of [
    [folder, 5],
    [`${folder}/none/page.svg`, 3],
  ] as const) {
    const { code } = await deskbell(`businesses publish salon-aurora --booking request --qr ${qr}`);
    expect([code, await isPublished()]).toEqual([expected, false]);
  }
});

test("publishing without a privacy policy and an imprint is refused until the command names them", async () => {
  const { deskbell, isPublished } = await openBusiness();
  const file = join(createTempFolder(), "catalog.yaml");
  const text = readFileSync(SALON, "utf8").replace(/^ {2}legal: .*\n/m, "");
  writeFileSync(file, text);
  await deskbell(`catalog apply ${file}`);
  const refused = await deskbell("businesses publish salon-aurora");
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("needs a privacy policy and an imprint"),
  });
  const invalid = await deskbell(
    "businesses publish salon-aurora --privacy-url nope --imprint-url x",
  );
  expect([invalid.code, invalid.stderr]).toEqual([
    2,
    expect.stringContaining(
      "--privacy-url must be a web address such as https://example.com/about, not 'nope'",
    ),
  ]);
  expect(await isPublished()).toBe(false);
  expect((await deskbell(`businesses publish salon-aurora ${LEGAL}`)).code).toBe(0);
  expect(await isPublished()).toBe(true);
});

test("a catalog file without a public page ends the published page only after a confirmation", async () => {
  const { deskbell, isPublished } = await openBusiness();
  await deskbell("businesses publish salon-aurora");
  const refused = await deskbell(`catalog apply ${SALON}`);
  expect(refused.stderr).toContain("undo 1 local edit (publicPage)");
  expect([refused.code === 0, await isPublished()]).toEqual([false, true]);
  expect((await deskbell(`catalog apply ${SALON} --yes`)).code).toBe(0);
  expect(await isPublished()).toBe(false);
});

test("a QR code of the page's URL is written to a new file", async () => {
  const { deskbell } = await openBusiness();
  const qr = join(createTempFolder(), "page.svg");
  await deskbell(`businesses publish salon-aurora --qr ${qr}`);
  expect(readFileSync(qr, "utf8")).toMatch(/^<svg /);
  expect((await deskbell(`businesses publish salon-aurora --qr ${qr}`)).code).not.toBe(0);
});
