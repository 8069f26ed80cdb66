import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { createReceiver } from "../../../support/receiver.ts";

const page = (cursor: string, sequences: number[]) => ({
  body: JSON.stringify({
    data: sequences.map((sequence) => ({ id: `evt_${sequence}`, type: "service.updated" })),
    page: { nextCursor: cursor, hasMore: false },
    meta: { sequences },
  }),
});

/** Runs `webhooks listen` with a server that sends two pages, and then refuses the third request. */
async function listenUntilRefused(status: number, flags = "") {
  const refused = { status, body: JSON.stringify({ detail: `Refused with ${status}.` }) };
  const api = await createReceiver([page("first", []), page("second", [7, 8]), refused]);
  const site = await createReceiver([{}, { status: 500 }]);
  const keyFile = join(createTempFolder(), "key");
  writeFileSync(keyFile, "deskbell_rk_x\n");
  return createTerminal().deskbell(
    `webhooks listen --business joes --api ${new URL(api.url).origin} --forward-to ${site.url} --key-file ${keyFile} ${flags}`,
  );
}

test.each([401, 404])(
  "webhooks listen prints what it forwarded and its cursor if the server later refuses with %i",
  async (status) => {
    const { stderr } = await listenUntilRefused(status);
    expect(stderr).toContain(
      `1 accepted, 1 failed. To continue from here: --after second\nerror: Refused with ${status}.\n`,
    );
    const { stdout, code } = await listenUntilRefused(status, "--json");
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toEqual({
      accepted: 1,
      failed: 1,
      cursor: "second",
    });
    expect(code).toBe(status === 401 ? 4 : 3);
  },
);

test("webhooks listen does not suggest a cursor that has expired", async () => {
  const { stderr, code } = await listenUntilRefused(410);
  expect(stderr).toContain("\n1 accepted, 1 failed.\nerror: Refused with 410.\n");
  expect(stderr).toContain("run this command without --after");
  expect(code).toBe(5);
});
