import { beforeEach, expect, test, vi } from "vitest";
import * as backlogMoves from "../../../src/app/webhooks/backlog-moves.ts";
import { createTerminal } from "../../support/cli.ts";
import { SALON } from "../../support/samples.ts";

vi.mock("../../../src/app/webhooks/backlog-moves.ts", async (importOriginal) => {
  const original = await importOriginal<typeof backlogMoves>();
  return { ...original, finishBacklogMove: vi.fn(original.finishBacklogMove) };
});
const { finishBacklogMove } = vi.mocked(backlogMoves);

beforeEach(() => void finishBacklogMove.mockClear());

test.each([
  ["webhooks disable till", 0],
  ["webhooks delete till --yes", 0],
  // The command first finishes the parking of deliveries, because a delivery that is still being
  // parked cannot be sent again.
  ["webhooks enable till", 1],
])("a dry run of %s moves no large backlog after the change", async (line, moves) => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell(
    "webhooks create --name till --url http://127.0.0.1:9/h --event all --allow-private",
  );
  expect(await deskbell(`${line} --dry-run`)).toMatchObject({ code: 0 });
  expect(finishBacklogMove).toHaveBeenCalledTimes(moves);
  expect(await deskbell(line)).toMatchObject({ code: 0 });
  expect(finishBacklogMove).toHaveBeenCalledTimes(2 * moves + 1);
});
