import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readConfig } from "../../../../src/config.ts";
import { saveOwnEpoch } from "../../../../src/features/backups/own-epoch.ts";
import { createMarker, readNewestEpoch } from "../../../../src/features/backups/restore/epochs.ts";
import { createEpoch } from "../../../../src/features/backups/restore/new-epoch.ts";
import { createTempFolder } from "../../../support/cli.ts";

vi.mock("../../../../src/features/backups/restore/epochs.ts", { spy: true });

const CONCURRENT = "Another server takes over at the same time.";

function createMachine(epoch: number) {
  const config = readConfig({ dataDir: createTempFolder() }, {});
  saveOwnEpoch(config, epoch);
  return config;
}

test.each([
  { isLast: true, own: [0, 5] },
  { isLast: true, own: [5, 0] },
  { isLast: false, own: [0, 5] },
  { isLast: false, own: [5, 0] },
  { isLast: true, own: [5, 7] },
])(
  "one of two machines that read the folder at the same time is refused: epochs $own, last copy $isLast",
  ({ isLast, own }) => {
    const dir = createTempFolder();
    const [first, second] = own.map(createMachine) as [
      ReturnType<typeof createMachine>,
      ReturnType<typeof createMachine>,
    ];
    const copy = { epoch: 1, isLast };
    const { epoch } = createEpoch(first, dir, 0, copy);
    expect(epoch).toBe(Math.max(1, own[0] ?? 0) + 1);
    // The second machine has read the folder before the first one wrote to it.
    vi.mocked(readNewestEpoch).mockReturnValueOnce(0);
    expect(() => createEpoch(second, dir, 0, copy)).toThrow(CONCURRENT);
    expect(readNewestEpoch(dir)).toBe(epoch);
  },
);

test("a takeover whose file cannot be created leaves the folder as it was", () => {
  const dir = createTempFolder();
  const machine = createMachine(5);
  const copy = { epoch: 1, isLast: true };
  vi.mocked(createMarker)
    .mockImplementationOnce((...given) => createMarker(...given))
    .mockImplementationOnce(() => {
      throw new Error("no space left on device");
    });
  expect(() => createEpoch(machine, dir, 0, copy)).toThrow("no space left");
  expect(readdirSync(dir)).toEqual([]);
  expect(createEpoch(machine, dir, 0, copy).epoch).toBe(6);
  // The newest takeover is the only one that has yet to end.
  expect(readFileSync(join(dir, "epoch-2"), "utf8")).toMatch(/^taken over/);
  expect(readFileSync(join(dir, "epoch-6"), "utf8")).toMatch(/^takeover begun/);
});

test("a takeover is refused if another takeover has got a higher epoch meanwhile", () => {
  const dir = createTempFolder();
  createMarker(createMachine(0), dir, 9, 0);
  vi.mocked(readNewestEpoch).mockReturnValueOnce(0);
  expect(() => createEpoch(createMachine(0), dir, 0, { epoch: 0, isLast: false })).toThrow(
    CONCURRENT,
  );
});

test("a last copy no longer counts as complete after a later takeover", () => {
  const dir = createTempFolder();
  createMarker(createMachine(0), dir, 9, 0);
  expect(() => createEpoch(createMachine(0), dir, 0, { epoch: 0, isLast: true })).toThrow(
    CONCURRENT,
  );
  expect(readdirSync(dir)).toEqual(["epoch-9"]);
});
