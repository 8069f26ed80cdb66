import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTerminal } from "../support/cli.ts";

test("a dry run makes no secret that anybody could mistake for one", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("seed salon");
  const out = join(dataDir, "site.key");
  const ran = await deskbell(`keys create --name site --secret --out ${out} --dry-run`);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("name\tsite\n") });
  expect(ran.stdout).not.toMatch(/deskbell_sk_\w/);
  expect(existsSync(out)).toBe(false);
  const added = await deskbell(
    "webhooks add --name a --url http://127.0.0.1:9/ --event all --allow-private --dry-run --json",
  );
  expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining("whsec_") });
  expect((await deskbell("keys list")).stdout + (await deskbell("webhooks list")).stdout).toBe("");
});

test("a dry run of many lines refuses what the lines before it have taken", async () => {
  const { deskbell } = createTerminal();
  await deskbell("seed venue");
  // 90 chairs: fifteen orders of six.
  const line = JSON.stringify({ event: "blue-hour-quartet", items: ["seated*6"] });
  const lines = Array(20).fill(line).join("\n");
  const [tried, done] = [
    await deskbell("orders create --from - --dry-run", lines),
    await deskbell("orders create --from -", lines),
  ];
  expect(tried.code).toBe(6);
  const verdicts = (text: string) =>
    [...text.matchAll(/^\d+\t(\w+)/gm)].map(([, verdict]) => verdict);
  expect(verdicts(tried.stdout)).toEqual(verdicts(done.stdout));
  expect(verdicts(tried.stdout).filter((verdict) => verdict === "ok")).toHaveLength(15);
});

test("a dry run needs no confirmation, refuses as the deed would, and says on stderr alone what it was", async () => {
  const { deskbell } = createTerminal();
  await deskbell("seed salon");
  const { stdout } = await deskbell("keys create --name site --secret --json");
  const { id } = (JSON.parse(stdout) as { data: { id: string } }).data;
  expect(await deskbell(`keys revoke ${id} --dry-run`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: `Would revoke ${id}.\nThat was a dry run: nothing was changed.\n`,
  });
  expect(await deskbell(`keys rotate ${id} --dry-run -q`)).toMatchObject({ code: 0, stderr: "" });
  expect(await deskbell("keys revoke key_none --dry-run")).toMatchObject({
    code: 3,
    stderr: expect.not.stringContaining("dry run"),
  });
  expect((await deskbell("keys list --json")).stdout).toContain('"revokedAt": null');
});

test("where there are no data a dry run makes none", async () => {
  const { deskbell, dataDir } = createTerminal();
  expect(await deskbell("keys create --name site --secret --dry-run")).toMatchObject({ code: 3 });
  expect(existsSync(dataDir) && readdirSync(dataDir).length > 0).toBe(false);
});

test("a dry run of a new master key or of a restore touches no file", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("seed salon");
  await deskbell("webhooks add --name a --url http://127.0.0.1:9/ --event all --allow-private");
  const { stdout } = await deskbell("backup --json");
  const { path } = (JSON.parse(stdout) as { data: { path: string } }).data;
  const content = () =>
    ["deskbell.db", "master.key"].map((name) => readFileSync(join(dataDir, name), "base64"));
  const before = { content: content(), names: readdirSync(dataDir) };
  expect(await deskbell("keys rotate-master --dry-run")).toMatchObject({
    code: 0,
    stderr:
      "Would re-encrypt 1 signing secret with a new master key.\nThat was a dry run: nothing was changed.\n",
  });
  expect(await deskbell(`restore ${path} --dry-run`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(
      / is sound and would replace .*deskbell\.db, which would be kept beside it\.\nThat was a dry run: nothing was changed\.\n$/,
    ),
  });
  expect(await deskbell("restore /no/such/file --dry-run")).toMatchObject({ code: 3 });
  expect(await deskbell(`restore ${join(dataDir, "master.key")} --dry-run`)).toMatchObject({
    code: 7,
  });
  expect({ content: content(), names: readdirSync(dataDir) }).toEqual(before);

  writeFileSync(join(dataDir, "master.key"), `${Buffer.alloc(32).toString("base64")}\n`);
  expect(await deskbell("keys rotate-master --dry-run")).toMatchObject({ code: 5 });
});
