import { rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createTestApi } from "../../http/support/api.ts";
import { createTerminal } from "../../support/cli.ts";

test("deskbell openapi prints the same document as the daemon, without a data folder", async () => {
  const { deskbell } = createTerminal();
  const { code, stdout } = await deskbell("openapi");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(
    await (await createTestApi().request("/openapi.json", { key: null })).json(),
  );
  expect((await deskbell("openapi --public-url ftp://x")).code).toBe(2);
});

test("deskbell openapi writes a new file but never overwrites one", async () => {
  const { deskbell, dataDir } = createTerminal();
  const file = `${dataDir}-openapi.json`;
  onTestFinished(() => rmSync(file, { force: true }));
  expect(await deskbell(`openapi --out ${file}`)).toMatchObject({ code: 0, stdout: "" });
  expect(await deskbell(`openapi --out ${file}`)).not.toMatchObject({ code: 0 });
  expect(await deskbell(`openapi --out ${file}/x`)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is not a folder\.\nfix: /),
  });
});
