import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { createTempFolder } from "../support/cli.ts";

// These tests check the built package that partners install.

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "dist/client");

/** Returns the compressed bytes of what a website loads to use some exports of an entry. */
async function sizeOf(entry: string): Promise<number> {
  const bundle = await rolldown({ input: join(PACKAGE, entry) });
  const { output } = await bundle.generate({ minify: true, codeSplitting: false });
  await bundle.close();
  return gzipSync(output[0].code, { level: 9 }).length;
}

test("the client has at most 12 KB, and the verification of webhooks at most 2 KB", async () => {
  const [whole, webhook] = [await sizeOf("index.js"), await sizeOf("webhook.js")];
  expect(whole).toBeLessThanOrEqual(12 * 1024);
  expect(webhook).toBeLessThanOrEqual(2 * 1024);
  expect(webhook).toBeGreaterThan(500);
  // The files are small even as they are, with comments and long names.
  const asServed = readdirSync(PACKAGE)
    .filter((name) => name.endsWith(".js"))
    .map((name) => gzipSync(readFileSync(join(PACKAGE, name))).length);
  expect(asServed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(12 * 1024);
});

test("the package has no dependencies, and has every file that its entries name", () => {
  const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
    name: string;
    version: string;
    exports: Record<string, Record<string, string>>;
  };
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  expect(manifest).toMatchObject({ name: "deskbell-client", version: own.version });
  expect(Object.keys(manifest).filter((name) => /dependencies|scripts/i.test(name))).toEqual([]);
  const files = Object.values(manifest.exports).flatMap((entry) => Object.values(entry));
  expect(files.length).toBe(4);
  const present = readdirSync(PACKAGE).map((name) => `./${name}`);
  expect(files.filter((name) => !present.includes(name))).toEqual([]);
  expect(present).toContain("./LICENSE");
});

test("the archive of the package has the files that npm packs, in the folder package", () => {
  const archive = gunzipSync(readFileSync(join(ROOT, "dist/docs/deskbell-client.tgz")));
  const list = execFileSync("tar", ["-t"], { input: archive, encoding: "utf8" });
  const packed = list
    .trim()
    .split("\n")
    .filter((name) => !name.endsWith("/"));
  const files = readdirSync(PACKAGE, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).replace(PACKAGE, "package"));
  expect(packed.toSorted()).toEqual(files.toSorted());
});

const PROGRAM = `
import { createClient, createMirror, createMemoryStorage, DeskbellError, verifyWebhook } from "deskbell-client";
import { verifyWebhook as alone } from "deskbell-client/webhook";

const client = createClient({ baseUrl: "https://desk.example", business: "salon", key: "x" });
const names: string[] = (await client.listServices({ includeVariants: true })).data.map(({ name }) => name);
for await (const { startsAt } of client.listBookings({ status: "CONFIRMED" })) names.push(startsAt);
const event = await verifyWebhook({ body: "", header: null, secret: ["a", "b"] });
if (event.type === "service.updated") names.push(event.data.object.currency);
const services = await createMirror({ client, storage: createMemoryStorage() }).read("services");
names.push(services[0]!.name);
export const code: string = new DeskbellError({ code: "slot_taken", detail: "" }).code;
export const same: typeof verifyWebhook = alone;
// @ts-expect-error: the operation has no such parameter.
await client.listServices({ includeVariant: true });
// @ts-expect-error: the ID is required.
await client.getBooking({});
// @ts-expect-error: the body is required.
await client.createHold();
// @ts-expect-error: one event is no list.
for await (const none of client.getEndpoint({ id: "" })) names.push(String(none));
`;

test(
  "the types of the package are valid in a browser's program and in Node's, with all strict checks",
  { timeout: 60_000 },
  () => {
    const folder = createTempFolder();
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      target: "es2022",
      paths: {
        "deskbell-client": [`${PACKAGE}/index.d.ts`],
        "deskbell-client/webhook": [`${PACKAGE}/webhook.d.ts`],
      },
    };
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const programs = [
      {
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["es2023", "dom", "dom.iterable"],
        types: [],
      },
      { module: "nodenext", lib: ["es2023"], types: [join(ROOT, "node_modules/@types/node")] },
    ];
    for (const options of programs) {
      const config = { compilerOptions: { ...compilerOptions, ...options }, files: ["program.ts"] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      expect(execFileSync(tsc, ["--project", folder], { encoding: "utf8" })).toBe("");
    }
  },
);
