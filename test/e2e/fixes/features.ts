import { expect } from "vitest";
import type { FixCase, Server } from "../../support/fixes.ts";
import { SALON } from "../../support/samples.ts";

// These cases are about messages of features: undo, sample data, destinations, alerts, several
// servers, Square.

const salon = "--business salon-aurora";
const cafe = "--business cafe-lumen";

const prints =
  (line: string, text: string | RegExp) =>
  async ({ deskbell }: Server): Promise<void> =>
    expect(await deskbell(line)).toMatch(text);

const BUS = "destinations create --name bus --url nats://127.0.0.1:9 --stream BUS --all";

export const fixes: FixCase[] = [
  {
    text: "name the pages that have them: deskbell businesses publish {} --privacy-url URL --imprint-url URL",
    arrange: ({ edit }) =>
      edit(
        "UPDATE business SET doc = json_set(doc, '$.legal.privacyUrl', NULL, '$.legal.imprint', NULL)",
      ),
    line: "businesses publish salon-aurora",
    fill: { URL: "https://salon.example/legal" },
    outcome: prints("businesses show salon-aurora", "https://salon.example/legal"),
  },
  {
    text: "to delete the business: deskbell businesses delete {}",
    line: `catalog undo --version 0 ${salon} --yes`,
    adds: "--yes",
    outcome: async ({ deskbell }) =>
      expect(await deskbell("businesses list")).not.toContain("salon-aurora"),
  },
  {
    text: "choose a version from deskbell catalog history {}",
    given: [`services update cut --name Trim ${salon}`],
    line: `catalog undo --version 12 ${salon} --yes`,
    outcome: /\b1\b/,
  },
  {
    text: "apply a catalog file that has the content you want: deskbell catalog apply FILE",
    given: [`services update cut --name Trim ${salon}`],
    arrange: ({ edit }) => edit("DELETE FROM catalog_change"),
    line: `catalog undo ${salon} --yes`,
    fill: { FILE: SALON },
    adds: "--yes",
    outcome: prints(`services show cut ${salon}`, "Signature cut"),
  },
  {
    text: "deskbell catalog history",
    line: `catalog show ${salon}`,
    outcome: /1/,
  },
  {
    text: "deskbell catalog diff FILE, or a version from deskbell catalog history",
    line: `catalog diff ${salon}`,
    fill: { FILE: SALON },
    outcome: /no changes/,
  },
  {
    text: "To sell it again: deskbell menu sold-out {} --undo --business {}",
    given: [`menu update espresso --price 9.00 ${cafe}`, `menu sold-out espresso ${cafe}`],
    line: `catalog undo ${cafe} --yes`,
    outcome: async ({ deskbell }) =>
      expect(await deskbell(`menu show espresso ${cafe}`)).not.toMatch(
        /soldOut\t(?!no|false|-|$)/m,
      ),
  },
  {
    text: "To end it: deskbell businesses unpublish {}",
    line: "businesses publish salon-aurora --privacy-url https://a.example/p --imprint-url https://a.example/i",
    adds: "--yes",
    outcome: async ({ deskbell }) =>
      expect(await deskbell("businesses show salon-aurora --json")).toMatch(
        /"publicPage": \{\s*"enabled": false/,
      ),
  },
  {
    text: "To take this undo back: deskbell catalog undo --business {}",
    given: [`services update cut --name Trim ${salon}`],
    line: `catalog undo ${salon} --yes`,
    adds: "--yes",
    outcome: prints(`services show cut ${salon}`, "Trim"),
  },
  {
    text: "deskbell seed all, or deskbell seed --generate 10k",
    data: "none",
    line: "seed",
    outcome: prints("businesses list", "salon-aurora"),
  },
  {
    text: "deskbell seed all, or give a catalog file",
    data: "none",
    line: "seed salo",
    outcome: prints("businesses list", "salon-aurora"),
  },
  {
    text: "deskbell destinations list",
    given: [BUS],
    line: "destinations show dst_nope",
    outcome: /bus/,
  },
  {
    text: "choose another --name, or see deskbell destinations list",
    given: [BUS],
    line: BUS,
    outcome: /bus/,
  },
  {
    text: "To check the server: deskbell destinations test {}",
    line: BUS,
    fails: true,
    outcome: /connection refused|cannot connect|refused/i,
  },
  {
    text: "deskbell alerts send 'TEXT'",
    line: "alerts send",
    fill: { TEXT: "Closed today" },
    adds: "--alert-url http://127.0.0.1:9/",
    fails: true,
    outcome: /--alert-url\tconnection refused/,
  },
  {
    text: "deskbell alerts test --alert-url URL",
    line: "alerts test",
    fill: { URL: "http://127.0.0.1:9/" },
    fails: true,
    outcome: /--alert-url\tconnection refused/,
  },
  {
    text: "deskbell alerts send {} --alert-url URL",
    line: "alerts send 'Closed today'",
    fill: { URL: "http://127.0.0.1:9/" },
    fails: true,
    outcome: /--alert-url\tconnection refused/,
  },
  {
    text: "deskbell status --help",
    line: "status --metrics-token-file x",
    outcome: /--servers/,
  },
  {
    text: "keep its line, and add --previous with the map that the proxy has: its partners get 503 until it runs again, or its standby has taken over (deskbell guide more-than-one-machine)",
    arrange: ({ write }) => write("servers.txt", "a http://127.0.0.1:9\n"),
    line: "proxy-map --format nginx servers.txt",
    outcome: /standby/,
  },
  {
    text: "save the JSON response of Square's ListCatalog (API Explorer, GET /v2/catalog/list). The table that Square Dashboard exports (Items, Actions, Export library) is CSV or XLSX: import the CSV with deskbell catalog import csv",
    arrange: ({ write }) =>
      write("items.csv", "type,key,name,price,duration_min\nservice,cut,Cut,40.00,30\n"),
    line: "catalog import square items.csv --business-slug joes --timezone Europe/Zurich --currency CHF --out joes.yaml",
    adds: "items.csv --business-slug joes --timezone Europe/Zurich --currency CHF --out joes.yaml",
    outcome: /next:/,
  },
];
