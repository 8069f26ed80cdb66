import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { FixCase, Server } from "../../support/fixes.ts";

// These cases are about messages on catalogs: services, dishes, staff, promotions, public events,
// hours, closures.

const salon = "--business salon-aurora";
const cafe = "--business cafe-lumen";
const venue = "--business kita-live";

/** Returns a function that exports a catalog to FILE and edits it there, as a reader would. */
const editFile =
  (from: string | RegExp, to: string, business = salon) =>
  async ({ deskbell, folder }: Server): Promise<void> => {
    const path = join(folder, "catalog.yaml");
    rmSync(path, { force: true });
    await deskbell(`catalog export ${business} --out catalog.yaml`);
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(from);
    writeFileSync(path, text.replace(from, to));
  };
const FILE = { FILE: "catalog.yaml" };

const applyEdited =
  (...edit: Parameters<typeof editFile>) =>
  async (server: Server): Promise<void> => {
    await editFile(...edit)(server);
    await server.deskbell("catalog apply catalog.yaml --yes");
  };

const prints =
  (line: string, text: string | RegExp) =>
  async ({ deskbell }: Server): Promise<void> =>
    expect(await deskbell(line)).toMatch(text);

const notFound = (noun: string, line: string): FixCase => ({
  text: "deskbell {} list",
  line,
  outcome: "line succeeds",
  instead: "nope",
  name: noun,
});

export const fixes: FixCase[] = [
  {
    text: "deskbell businesses list",
    line: "services list --business nope",
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell seed all",
    given: [
      "businesses delete salon-aurora --yes",
      "businesses delete cafe-lumen --yes",
      "businesses delete kita-live --yes",
    ],
    line: `services list ${salon}`,
    outcome: "line succeeds",
  },
  {
    text: "write a catalog with deskbell init and load it with deskbell catalog apply FILE, or restore a backup: deskbell restore FILE{}",
    data: "none",
    line: "services list --business cafe",
    runs: [0, 1],
    fill: { FILE: "catalog.yaml" },
    outcome: prints("businesses list", /./),
  },
  {
    text: "write a catalog with deskbell init and load it with deskbell catalog apply FILE, or restore a backup: deskbell restore FILE{}",
    name: "a backup",
    data: "none",
    arrange: async ({ deskbell, dataDir, folder }) => {
      await deskbell("seed salon");
      await deskbell("backup");
      const [backup = ""] = globSync(join(dataDir, "backups/*.db"));
      renameSync(backup, join(folder, "backup.db"));
      renameSync(join(dataDir, "master.key"), join(folder, "master.key"));
      rmSync(dataDir, { recursive: true });
    },
    before: ({ folder, dataDir }) => {
      mkdirSync(dataDir);
      renameSync(join(folder, "master.key"), join(dataDir, "master.key"));
    },
    line: "services list",
    runs: [2],
    fill: { FILE: "backup.db" },
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "write a catalog with deskbell init and load it with deskbell catalog apply FILE, or restore a backup: deskbell restore FILE{}",
    name: "sample data",
    data: "none",
    line: `services list ${salon}`,
    runs: [3],
    outcome: "line succeeds",
  },
  notFound("service", `services show nope ${salon}`),
  notFound("dish", `menu show nope ${cafe}`),
  notFound("staff", `staff show nope ${salon}`),
  notFound("promotion", `promotions show nope ${salon}`),
  notFound("event", `public-events show nope ${venue}`),
  {
    text: "deskbell menu list",
    line: `menu sold-out nope ${cafe}`,
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "set its status in the catalog file, then run deskbell catalog apply FILE",
    arrange: applyEdited("key: midweek-blowout", "key: midweek-blowout\n    status: ARCHIVED"),
    line: `promotions pause midweek-blowout ${salon}`,
    before: editFile("status: ARCHIVED", "status: ACTIVE"),
    fill: FILE,
    outcome: "line succeeds",
  },
  {
    text: "deskbell promotions pause {}",
    given: [`promotions update midweek-blowout --from 2027-01-01 --to none ${salon}`],
    line: `promotions end midweek-blowout ${salon}`,
    outcome: prints(`promotions show midweek-blowout ${salon}`, "INACTIVE"),
  },
  {
    text: "change its benefit in the catalog file, then run deskbell catalog apply FILE",
    line: `promotions update midweek-blowout --amount 5 ${salon}`,
    before: editFile("{ type: PERCENT_OFF, percent: 20 }", "{ type: AMOUNT_OFF, amount: 4.00 }"),
    fill: FILE,
    outcome: "line succeeds",
  },
  {
    text: "change it with deskbell public-events update {}, or delete it from the catalog file",
    arrange: applyEdited("key: open-mic", "key: open-mic\n    status: DRAFT", venue),
    line: `public-events cancel open-mic ${venue}`,
    adds: "--name Open",
    outcome: prints(`public-events show open-mic ${venue}`, "Open"),
  },
  {
    text: "To sell tickets again and show guests the time: deskbell public-events update {} --status PUBLISHED --business {}",
    line: `public-events postpone blue-hour-quartet ${venue}`,
    outcome: prints(`public-events show blue-hour-quartet ${venue}`, "PUBLISHED"),
  },
  {
    text: "{} {} valid: deskbell ticket-orders list --public-event {} --business {}",
    given: [`ticket-orders create --public-event blue-hour-quartet --item seated*2 ${venue}`],
    line: `public-events cancel blue-hour-quartet ${venue}`,
    outcome: /tor_|seated|blue-hour/,
  },
  {
    text: "deskbell closures list",
    line: `closures create --date 2026-11-26 ${salon}`,
    name: "a second closure",
    outcome: /2026-11-26/,
  },
  {
    text: "deskbell closures list",
    line: `closures delete nope ${salon}`,
    name: "an unknown name",
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell closures list",
    line: `closures delete 2026-12-01 ${salon}`,
    name: "an unknown day",
    outcome: "line succeeds",
    instead: "2026-12-01",
  },
  {
    text: "delete one of them in the catalog file, then run deskbell catalog apply FILE",
    given: [`closures create --from 2027-01-24 --to 2027-01-28 ${salon}`],
    line: `closures delete 2027-01-24 ${salon}`,
    before: editFile(/^.*2027-01-28.*\n/m, ""),
    fill: FILE,
    adds: "--prune --yes",
    outcome: "line succeeds",
  },
  {
    text: "link somebody else with deskbell staff update KEY --add-service {}, or retire it with {} --status ARCHIVED",
    given: [
      `staff create --name Nadia --service cut ${salon}`,
      `services create --name Scalp --duration 30 --price 35 --staff maya ${salon}`,
    ],
    line: `staff update maya --remove-service scalp ${salon}`,
    fill: { KEY: "nadia" },
    outcome: "line succeeds",
  },
  {
    text: "deskbell services update {}",
    name: "retired",
    given: [`services create --name Scalp --duration 30 --price 35 --staff maya ${salon}`],
    line: `staff update maya --remove-service scalp ${salon}`,
    outcome: "line succeeds",
  },
  {
    text: "{} by {}. To change it: deskbell staff update KEY --remove-service {} --business {}",
    line: `services create --name Scalp --duration 30 --price 35 ${salon}`,
    fill: { KEY: "maya" },
    outcome: async ({ deskbell }) =>
      expect(await deskbell(`services show scalp ${salon}`)).not.toMatch(/\bmaya\b/i),
  },
  {
    text: "No service is linked yet: deskbell staff update {} --add-service KEY --business {}",
    line: `staff create --name 'Nadia Rossi' ${salon}`,
    fill: { KEY: "cut" },
    outcome: prints(`services show cut ${salon}`, /nadia/i),
  },
  {
    text: "deskbell staff hours update {} {} --business {}",
    line: `hours update --day wed --open 09:00-10:00 ${salon}`,
    outcome: /version 2 -> 3/,
  },
  {
    text: "change its priceType in the catalog file, then run deskbell catalog apply FILE",
    given: [
      `services create --name Gala --duration 30 --price-type ON_REQUEST --staff maya ${salon}`,
    ],
    line: `services update gala --price 40 ${salon}`,
    before: editFile(/(?<=key: gala.*)priceType: ON_REQUEST/, "price: 30.00"),
    fill: FILE,
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "To close them, too: deskbell hours update --date {} --closed --business {}",
    given: [`hours update --day mon-sun --open 20:00-28:00 ${salon}`],
    line: `closures create --from 2026-12-02 --to 2026-12-03 ${salon}`,
    outcome: prints(`hours list ${salon}`, /2026-12-03\s+closed/),
  },
  {
    text: "To delete it: deskbell closures delete {} --business {}",
    line: `hours update --date 2026-12-25 --open 09:00-12:00 ${salon}`,
    outcome: "the message is gone",
  },
  {
    text: "To delete these hours of the business: deskbell hours update --date {} --usual --business {}",
    line: `staff hours update maya --date 2026-12-24 --open 15:00-19:00 ${salon}`,
    outcome: "the message is gone",
  },
  {
    text: "To delete it: deskbell time-off delete {} --business {}",
    given: [`time-off create maya --from 2026-12-01 --to 2026-12-02 ${salon}`],
    line: `staff hours update maya --date 2026-12-01 --open 15:00-19:00 ${salon}`,
    outcome: "the message is gone",
  },
  {
    text: "It is in the catalog file: delete it there, then run deskbell catalog apply FILE",
    arrange: applyEdited(
      "key: maya",
      "key: maya\n    timeOff: [{ from: 2026-12-01, to: 2026-12-02 }]",
    ),
    line: `staff hours update maya --date 2026-12-01 --open 15:00-19:00 ${salon}`,
    before: editFile(/^ *timeOff:[^]*?2026-12-02.*\n/m, ""),
    fill: FILE,
    outcome: "the message is gone",
  },
  {
    text: "next: deskbell catalog {} {}",
    line: `catalog export --out salon.yaml ${salon}`,
    outcome: /no changes/i,
  },
  {
    text: "next: deskbell catalog apply {} --dry-run",
    arrange: ({ write }) =>
      write(
        "items.json",
        JSON.stringify({
          objects: [
            {
              type: "ITEM",
              id: "A",
              item_data: {
                name: "Espresso",
                variations: [
                  {
                    type: "ITEM_VARIATION",
                    id: "B",
                    item_variation_data: { name: "Regular", pricing_type: "VARIABLE_PRICING" },
                  },
                ],
              },
            },
          ],
        }),
      ),
    line: "catalog import square items.json --business-slug joes --timezone Europe/Zurich --currency CHF --out joes.yaml",
    outcome: /joes: would be new/,
  },
  {
    text: "To go back: deskbell {} --business {}",
    arrange: editFile("name: Signature cut", "name: Trim"),
    line: "catalog apply catalog.yaml",
    adds: "--yes",
    outcome: prints(`services show cut ${salon}`, "Signature cut"),
  },
  {
    text: "deskbell time-off list",
    given: [`time-off create maya --from 2026-12-01 --to 2026-12-02 ${salon}`],
    line: `time-off delete nope ${salon}`,
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell catalog apply {} --dry-run   # preview",
    data: "none",
    line: "init",
    outcome: /would be new/,
  },
  {
    text: "The catalog of {}. Edit it, preview the changes with deskbell catalog diff, and apply them",
    given: [`catalog export --out salon.yaml ${salon}`],
    line: `catalog export ${salon}`,
    adds: "salon.yaml",
    outcome: /no changes/,
  },
  {
    text: "with deskbell catalog apply. With --prune, an empty list deletes all objects of its section.",
    given: [`catalog export --out salon.yaml ${salon}`],
    line: `catalog export ${salon}`,
    adds: "salon.yaml",
    outcome: /no changes/,
  },
  {
    text: "deskbell keys create --name website --scope services.read",
    data: "none",
    line: "init",
    before: async ({ deskbell }) => void (await deskbell("catalog apply catalog.yaml")),
    outcome: /^deskbell_rk_/m,
  },
  {
    text: "deskbell catalog apply {}",
    data: "none",
    line: "init",
    outcome: /new/,
  },
];
