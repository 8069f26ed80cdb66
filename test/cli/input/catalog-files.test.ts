import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { canMount, mountSmallDisk } from "../../support/small-disk.ts";

const SHOP = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: [mon-sun], start: "08:00", end: "23:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia] }]
staff: [{ key: mia, name: Mia }]
`;

const DAY = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 }).toString();
const LATIN1 = Buffer.from("M\xfcller", "latin1");

async function createShop() {
  const { deskbell, dataDir } = createTerminal();
  expect(await deskbell("catalog apply -", SHOP)).toMatchObject({ code: 0 });
  return { deskbell, dataDir, folder: createTempFolder() };
}

test("a catalog on stdin must be UTF-8, and may begin with a byte order mark", async () => {
  const { deskbell } = createTerminal();
  const [before = "", after = ""] = SHOP.split("Joe's");
  const stdin = Buffer.concat([Buffer.from(`${before}"`), LATIN1, Buffer.from(`"${after}`)]);
  expect(await deskbell("catalog apply -", stdin)).toMatchObject({
    code: 7,
    stderr:
      "error: stdin is not valid UTF-8 text.\nfix: save it as UTF-8 in your editor (exit 7)\n",
  });
  expect(await deskbell("catalog apply -", `\ufeff${SHOP}`)).toMatchObject({ code: 0 });
});

const booking = (time: string, customerRef: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`{"service":"cut","start":"${DAY}T${time}","customerRef":"`),
    Buffer.from(customerRef as string),
    Buffer.from(`"}`),
  ]);

test("--input rejects only the line with invalid UTF-8, and accepts a byte order mark, CRLF and a missing final newline", async () => {
  const { deskbell, folder } = await createShop();
  const lines = [booking("09:00", "Müller"), booking("10:00", LATIN1), booking("11:00", "late")];
  const file = join(folder, "bookings.ndjson");
  writeFileSync(
    file,
    Buffer.concat([Buffer.from("\ufeff"), ...lines.flatMap((line) => [line, Buffer.from("\r\n")])]),
  );
  const fromFile = await deskbell(`bookings create --input ${file}`);
  expect(fromFile).toMatchObject({ code: 6, stderr: "2 created, 1 rejected.\n" });
  expect(fromFile.stdout).toMatch(
    /^1\tok\t\S+\n2\tinvalid_input\tThe line is not valid UTF-8 text\.\n3\tok\t\S+\n$/,
  );
  const listed = (await deskbell("bookings list")).stdout;
  expect(listed).toContain("Müller");
  expect(listed).not.toContain("\ufffd");

  expect(await deskbell("bookings create --input -", booking("13:00", "last"))).toMatchObject({
    code: 0,
  });
});

test("--input splits its content at newlines only, whatever the chunks of the stream", async () => {
  const { deskbell } = await createShop();
  const whole = Buffer.from(
    `\n${booking("09:00", "Zoë").toString()}\n\n${booking("10:00", "b").toString()}`,
  );
  for (const size of [1, 7, whole.length]) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
      whole.subarray(i * size, (i + 1) * size),
    );
    expect(await deskbell("bookings create --input - --dry-run", pieces)).toMatchObject({
      stdout: expect.stringMatching(/^2\tok\t\S+\n4\tok\t\S+\n$/),
    });
  }
  expect(
    (await deskbell("bookings create --input - --dry-run", booking("09:00", "a\u2028b"))).stdout,
  ).toMatch(/^1\tvalidation_failed\t'customerRef' must be one line/);
});

test("reading a path below a file reports a missing file; writing reports that its parent is no folder", async () => {
  const { deskbell, folder } = await createShop();
  const through = join(folder, "note.txt", "x");
  writeFileSync(join(folder, "note.txt"), "");
  for (const line of [`catalog apply ${through}`, `bookings create --input ${through}`])
    expect(await deskbell(line)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("There is no file "),
    });
  for (const line of [`catalog export --out ${through}`, `init ${through}`])
    expect(await deskbell(line)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is not a folder\.\nfix: /),
    });
});

test("the error for a missing output folder names the command that creates it", async () => {
  const { deskbell, folder } = await createShop();
  const missing = join(folder, "not there", "x.yaml");
  expect(await deskbell(`catalog export --out '${missing}'`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`\nfix: mkdir -p '${join(folder, "not there")}' (exit 3)\n`),
  });
  mkdirSync(join(folder, "not there"));
  const { code, stderr } = await deskbell(`catalog export --out '${missing}'`);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `next: deskbell catalog diff '${missing}'\n`,
  });
});

test.skipIf(!canMount())(
  "a file that could not be written because the disk is full is removed",
  async () => {
    const { deskbell } = await createShop();
    const disk = mountSmallDisk(1);
    const file = join(disk.folder, "salon.yaml");
    disk.fill();
    expect(await deskbell(`catalog export --out ${file}`)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`The disk that holds ${file} is full.`),
    });
    expect(existsSync(file)).toBe(false);
    disk.free();
    expect(await deskbell(`catalog export --out ${file}`)).toMatchObject({ code: 0 });
  },
);

test("a printed command quotes a file name with spaces and escapes control characters", async () => {
  const { deskbell, folder } = await createShop();
  const file = join(folder, "my salon.yaml");
  expect((await deskbell(`init '${file}'`)).stderr).toContain(
    `deskbell catalog apply '${file}' --dry-run`,
  );
  expect(readFileSync(file, "utf8")).toContain("catalog: 1");
  expect((await deskbell(`init '${join(folder, "\x1b]0;mine\x07")}'`)).stderr).not.toMatch(
    /[\x1b\x07]/,
  );
});
