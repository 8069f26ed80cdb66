import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { listTextsWithCommands } from "../support/fix-texts.ts";
import { createSamples, runFix } from "../support/fixes.ts";
import { fixes as backups } from "./fixes/backups.ts";
import { fixes as catalog } from "./fixes/catalog.ts";
import { fixes as conditions } from "./fixes/conditions.ts";
import { fixes as features } from "./fixes/features.ts";
import { LEFT_OUT } from "./fixes/left-out.ts";
import { fixes as partners } from "./fixes/partners.ts";
import { fixes as server } from "./fixes/server.ts";
import { fixes as visits } from "./fixes/visits.ts";

const folder = mkdtempSync(join(tmpdir(), "deskbell-fixes-"));

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T09:00:00Z") });
  await createSamples(folder);
}, 60_000);

afterAll(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const all = [...catalog, ...partners, ...visits, ...backups, ...conditions, ...server, ...features];

describe("the commands of a message do what the message says", () => {
  test.each(all.map((fix) => ({ ...fix, name: fix.name ?? "" })))(
    "the fix does what it says: $text $name",
    async (fix) => {
      await expect(runFix(fix)).resolves.toBeUndefined();
    },
  );
});

test("each text in the source that names a command is tested, or is listed with the reason why it is not", () => {
  const left = Object.values(LEFT_OUT).flat();
  const known = [...new Set([...all.map(({ text }) => text), ...left])];
  expect(known.toSorted()).toEqual(listTextsWithCommands().toSorted());
});
