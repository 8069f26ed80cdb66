import { expect, test } from "vitest";
import { renameFormerSpellings } from "../../src/cli/former-spellings.ts";
import { createTerminal } from "../support/cli.ts";

test.each([
  ["services set cut --price 45", "services update cut --price 45"],
  [
    "--data-dir orders --json services --business menu set cut",
    "--data-dir orders --json services update --business menu cut",
  ],
  ["businesses remove shop --yes", "businesses delete shop --yes"],
  [
    "time-off add mia --from 2026-12-24 --to 2026-12-31",
    "time-off create mia --from 2026-12-24 --to 2026-12-31",
  ],
  ["service systemd --user www-data", "systemd-unit --user www-data"],
  ["orders create --from orders.ndjson", "ticket-orders create --input orders.ndjson"],
  ["orders list --event=gala", "ticket-orders list --public-event=gala"],
  ["tickets list --event gala", "tickets list --public-event gala"],
  ["backup --with-key a.key", "backup --master-key-out a.key"],
  ["seed --size 10k", "seed --generate 10k"],
  ["seed salon --again", "seed salon --overwrite"],
  ["webhooks receive --status 503", "webhooks receive --status-code 503"],
  ["restore a.db --no-input", "restore a.db --no-prompt"],
])("%s becomes %s with a notice", (former, current) => {
  const { args, notices } = renameFormerSpellings(former.split(" "));
  expect(args.join(" ")).toBe(current);
  expect(notices.length).toBeGreaterThan(0);
});

test.each([
  "ticket-orders create --input orders.ndjson",
  "availability --from 2026-12-01",
  "time-off create mia --from 2026-12-24 --to 2026-12-31",
  "deliveries list --event service.updated --status PENDING",
  "menu update soup --size cup",
  "keys create --name orders -- --no-input",
  "__complete -- services set",
  "",
])("%j stays as it is", (line) => {
  const args = line.split(" ");
  expect(renameFormerSpellings(args)).toEqual({ args, notices: [] });
});

test("a former spelling works and prints a notice on stderr, unless --quiet", async () => {
  const { deskbell } = createTerminal();
  await deskbell("seed salon");
  expect(await deskbell("services set cut --name Trim --json")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\{/),
    stderr: "'services set' is now 'services update'. The old spelling works until 0.3.\n",
  });
  expect(await deskbell("services set cut --name Cut --json -q")).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect((await deskbell("services --help")).stdout).not.toMatch(/^ +set /m);
  expect((await deskbell("--help")).stdout).not.toMatch(/^ +(orders|service) /m);
});
