import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import type { FeatureSubcommands } from "../../../src/cli/command-entry.ts";
import { FEATURES } from "../../../src/features/index.ts";
import type { AuditAction } from "../../../src/domain/audit.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { loadCommands } from "../../support/commands.ts";
import { RESTAURANT, SALON, writeVenue } from "../../support/samples.ts";

type Entry = {
  id: string;
  at: string;
  via: string;
  actor: { id: string; name: string | null };
  address: string | null;
  action: AuditAction;
  subject: { id: string | null; name: string };
  businessId: string | null;
  details: Record<string, unknown>;
};

function openTerminal() {
  const terminal = createTerminal();
  const { deskbell } = terminal;
  const json = async <Data>(line: string): Promise<Data> =>
    (JSON.parse((await deskbell(`${line} --json`)).stdout) as { data: Data }).data;
  const list = (flags = "") => json<Entry[]>(`audit list --limit 1000 ${flags}`);
  /** Runs a line and returns the entries that it added. */
  const runAudited = async (line: string): Promise<Entry[]> => {
    const seen = new Set((await list()).map(({ id }) => id));
    expect(await deskbell(line)).toMatchObject({ code: 0 });
    return (await list()).filter(({ id }) => !seen.has(id));
  };
  return { ...terminal, json, list, runAudited };
}

/**
 * Commands that change a visit and add the same kind of audit entries as the commands in `VISITS`.
 */
const LIKE_OTHERS = [
  "bookings approve",
  "bookings decline",
  "bookings complete",
  "bookings no-show",
  "staff away",
  "reservations create",
  "reservations cancel",
  "reservations reschedule",
  "reservations approve",
  "reservations decline",
  "reservations complete",
  "reservations no-show",
];

const VISITS = ["bookings create", "bookings cancel", "bookings reschedule"];

/** Returns the commands of features; tests of each feature check what these commands audit. */
async function listFeatureCommands(): Promise<string[]> {
  const added = FEATURES.flatMap<FeatureSubcommands>(({ subcommands = [] }) => subcommands);
  const paths = added.map(async ({ group, load }) =>
    (await load()).subcommands.map(({ name }) => `${group} ${name}`),
  );
  return [
    ...FEATURES.flatMap(({ commands = [] }) => commands).map(({ name }) => name),
    ...(await Promise.all(paths)).flat(),
  ];
}

const isIn = (path: string, group: string): boolean => `${path} `.startsWith(`${group} `);

/** Commands without an audit entry, because they change no key, endpoint or catalog. */
const NOT_AUDITED = [
  "time-off create",
  "time-off delete",
  "deliveries redeliver",
  "deliveries cancel",
  "events trigger",
];

test("each command that changes keys, endpoints or catalogs adds an entry to the audit log", async () => {
  const { deskbell, runAudited } = openTerminal();
  const file = join(createTempFolder(), "salon.yaml");
  writeFileSync(
    file,
    "catalog: 1\nbusiness: {slug: salon-aurora, name: New, timezone: America/New_York, currency: USD}\n" +
      "events: [{key: gig, name: Gig, startsAt: 2030-12-01T20:00, durationMin: 60}]\n",
  );
  await deskbell(`catalog apply ${RESTAURANT}`);
  const audited = new Set<string>();
  const expectEntry = async (line: string, action: AuditAction, details = {}) => {
    const entries = await runAudited(line);
    expect({ line, entries }).toEqual({
      line,
      entries: [expect.objectContaining({ action, details: expect.objectContaining(details) })],
    });
    audited.add(leaves.find(({ path }) => `${line} `.startsWith(`${path} `))?.path ?? line);
  };
  const { leaves } = await loadCommands();

  await expectEntry(`catalog apply ${SALON}`, "catalog.applied", { files: [SALON] });
  await expectEntry(`catalog apply ${file}`, "catalog.applied", { files: [file] });
  expect(await runAudited(`catalog apply ${file}`)).toEqual([]);
  await expectEntry(
    "services update cut --name Haircut --business salon-aurora",
    "catalog.edited",
    {
      kind: "service",
      key: "cut",
      changes: 1,
    },
  );
  await expectEntry(
    "menu update espresso --name Ristretto --business cafe-lumen",
    "catalog.edited",
  );
  for (const line of [
    "services create --name Detox --duration 30 --price 35.00",
    "staff create --name Nadia --service detox",
    "staff update nadia --title Stylist",
    "staff delete nadia --yes",
    "promotions update midweek-blowout --percent 25",
    "promotions pause midweek-blowout",
    "promotions resume midweek-blowout",
    "promotions end midweek-blowout",
    "hours update --day tue --closed",
    "staff hours update maya --day tue --open 10:00-12:00",
    "closures create --date 2030-12-24",
    "closures delete 2030-12-24",
  ])
    await expectEntry(`${line} --business salon-aurora`, "catalog.edited");
  for (const line of ["update gig --name Concert", "postpone gig", "cancel gig"])
    await expectEntry(`public-events ${line} --business salon-aurora`, "catalog.edited");
  await expectEntry("menu sold-out espresso --business cafe-lumen", "dish.sold_out");
  await expectEntry("menu sold-out espresso --undo --business cafe-lumen", "dish.available");

  await expectEntry("keys create --name site --secret --business salon-aurora", "key.created", {
    kind: "SECRET",
  });
  await expectEntry("keys update site --event-group catalog --max-holds 5", "key.updated", {
    eventGroups: ["catalog"],
    maxHolds: 5,
  });
  await expectEntry("keys rotate site", "key.rotated");
  await expectEntry("keys revoke site --yes", "key.revoked");
  expect(await runAudited("keys revoke site --yes")).toEqual([]);

  const target = "--url http://127.0.0.1:9/hook?token=t --event all --allow-private";
  await expectEntry(
    `webhooks create --name till ${target} --business salon-aurora`,
    "endpoint.created",
    { host: "127.0.0.1:9" },
  );
  await expectEntry("webhooks update till --timeout 20s", "endpoint.updated", {
    fields: ["timeoutMs"],
  });
  expect(await runAudited("webhooks update till --timeout 20s")).toEqual([]);
  await expectEntry("webhooks disable till", "endpoint.disabled", { reason: "manual" });
  await expectEntry("webhooks enable till", "endpoint.enabled");
  expect(await runAudited("webhooks enable till")).toEqual([]);
  await expectEntry("webhooks rotate-secret till", "endpoint.secret_rotated");
  await expectEntry("webhooks rotate-secret till --finish", "endpoint.secret_rotation_finished");
  await expectEntry("keys rotate-master", "master_key.rotated", { secrets: 1 });

  await expectEntry("webhooks delete till --yes", "endpoint.deleted");
  await expectEntry("businesses delete salon-aurora --yes", "business.deleted");

  const ofFeatures = await listFeatureCommands();
  const writing = leaves
    .filter(({ spec, path }) => spec.supportsDryRun && !ofFeatures.some((one) => isIn(path, one)))
    .map(({ path }) => path);
  expect([...audited, ...VISITS, ...LIKE_OTHERS, ...NOT_AUDITED].sort()).toEqual(writing.sort());
});

test("audit list --visit says who created and changed a visit, without guest data", async () => {
  const { deskbell, json, list, runAudited } = openTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const { id } = await json<{ id: string }>(
    "bookings create --service cut --start 2031-12-02T11:00 --staff maya --name Ana --email ana@example.com --ignore-notice",
  );
  expect(
    await deskbell(`bookings reschedule ${id} --start 2031-12-03T11:00 --ignore-notice`),
  ).toMatchObject({ code: 0 });
  await deskbell(`bookings cancel ${id} --reason 'Ana is ill'`);
  expect(await runAudited(`bookings cancel ${id}`)).toEqual([]);
  expect(await runAudited(`bookings cancel ${id} --dry-run`)).toEqual([]);
  const entries = await list(`--visit ${id}`);
  expect(entries.map(({ action }) => action)).toEqual([
    "booking.cancelled",
    "booking.notice_ignored",
    "booking.rescheduled",
    "booking.notice_ignored",
    "booking.created",
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/Ana\b|example\.com|is ill/);
  expect((await deskbell(`audit list --visit ${id}`)).stderr).toContain("by the operator");
  expect(await list(`--visit ${id.slice(-6)}`)).toEqual(entries);
  expect(await deskbell("audit list --visit bkg_nope")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("There is no booking, reservation or ticket order 'bkg_nope'."),
  });
});

test("an audit entry of a command names the system user, and no address", async () => {
  vi.stubEnv("SUDO_USER", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { deskbell, list } = openTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const [entry] = await list();
  expect(entry).toEqual({
    id: expect.stringMatching(/^aud_/),
    at: expect.stringMatching(/Z$/),
    via: "cli",
    actor: { id: `uid:${process.getuid?.()}`, name: userInfo().username },
    address: null,
    action: "catalog.applied",
    subject: { id: expect.stringMatching(/^biz_/), name: "salon-aurora" },
    businessId: entry?.subject.id,
    details: {
      files: [SALON],
      fromVersion: 0,
      version: 1,
      changes: expect.any(Number),
      created: expect.any(Number),
      updated: 0,
      moved: 0,
      deleted: 0,
      fields: [],
    },
  });
});

test("an audit entry of a command run with sudo names the user who ran sudo", async () => {
  vi.stubEnv("SUDO_USER", "grace");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { deskbell, list } = openTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const entries = await list("--actor grace");
  expect(entries).toMatchObject([{ actor: { id: `uid:${process.getuid?.()}`, name: "grace" } }]);
});

test("audit list filters by actor, action, time and business, even a deleted business", async () => {
  const { deskbell, list } = openTerminal();
  for (const line of [
    `catalog apply ${SALON}`,
    `catalog apply ${writeVenue()}`,
    "keys create --name site --secret --business salon-aurora",
    "businesses delete salon-aurora --yes",
  ])
    await deskbell(line);
  const actions = async (flags: string) => (await list(flags)).map(({ action }) => action);
  expect(await actions("")).toEqual([
    "business.deleted",
    "key.created",
    "catalog.applied",
    "catalog.applied",
  ]);
  expect(await actions("--business salon-aurora")).toEqual([
    "business.deleted",
    "key.created",
    "catalog.applied",
  ]);
  expect(await actions("--action key.created")).toEqual(["key.created"]);
  expect(await actions(`--actor uid:${process.getuid?.()}`)).toHaveLength(4);
  expect(await actions("--actor daemon")).toEqual([]);
  expect(await actions("--since 1h")).toHaveLength(4);
  expect(await actions("--until 1h")).toEqual([]);
  expect(await actions("--since 2026-01-01 --until 2100-01-01T10:00")).toHaveLength(4);
  expect(await actions("--until 2026-01-01")).toEqual([]);
  const [, newest] = await list();
  expect(await actions(`--before ${newest?.id}`)).toEqual(["catalog.applied", "catalog.applied"]);
  expect(await actions("--since yesterday")).toHaveLength(4);
  expect(await actions("--until yesterday")).toEqual([]);
  expect(await deskbell("audit list --since recently")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("or a date such as 2026-12-01"),
  });
});

test("audit list fits a terminal of 80 columns and says how to see older entries", async () => {
  const { deskbell, dataDir } = openTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("keys create --name site --secret");
  const terminal = createTerminal({ dataDir, isTTY: true, columns: 80 });
  const { stdout, stderr } = await terminal.deskbell("audit list --limit 1");
  const [titles = "", line = ""] = stripVTControlCharacters(stdout).split("\n");
  expect(titles).toMatch(/^TIME +ACTOR +ACTION +SUBJECT\b/);
  expect(line).toMatch(/^20\S{17}Z +\S+ +key\.created +site\b/);
  expect(Math.max(titles.length, line.length)).toBeLessThanOrEqual(80);
  expect(stderr).toContain("There are older entries: add --before aud_");
});
