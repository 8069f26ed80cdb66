import { expect } from "vitest";
import type { FixCase, Server } from "../../support/fixes.ts";

// These cases are about messages on API keys, webhook endpoints, deliveries and events.

const salon = "--business salon-aurora";
const cafe = "--business cafe-lumen";
const SITE = `keys create --name site --scope services.read --scope webhooks.write ${salon}`;
const TILL = `webhooks create --name till --url http://127.0.0.1:9/h --event all --allow-private ${salon}`;
const TRIM = `services update cut --name Trim ${salon}`;

const prints =
  (line: string, text: string | RegExp) =>
  async ({ deskbell }: Server): Promise<void> =>
    expect(await deskbell(line)).toMatch(text);

/** A partner that reaches one business. */
const AGENCY = "partners create agency --business salon-aurora";

const revoked: FixCase["given"] = [SITE, `${TILL} --key site`, "keys revoke site --yes"];

export const fixes: FixCase[] = [
  {
    text: "deskbell keys list",
    name: "an unknown ID",
    given: [SITE],
    line: "keys show key_nope",
    outcome: /^key_/,
  },
  {
    text: "deskbell {} list",
    name: "an unknown name",
    given: [SITE],
    line: "keys show nope",
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell keys list",
    name: "a key of another business",
    given: [SITE.replace(salon, cafe), SITE],
    line: `webhooks create --name till --url http://127.0.0.1:9/h --event all --allow-private ${cafe} --key key_…`,
    outcome: "line succeeds",
    instead: "key_…",
  },
  {
    text: "deskbell keys list",
    name: "a revoked key",
    given: [SITE, "keys revoke site --yes"],
    line: `${TILL} --key key_…`,
    outcome: /\t2026-11-20T09:00:00Z$/m,
  },
  {
    text: "use the ID instead (see deskbell {} list)",
    given: [SITE, SITE.replace(salon, cafe)],
    line: "keys show site",
    outcome: "line succeeds",
    instead: "site",
  },
  {
    text: "deskbell keys revoke {}",
    name: "a key that has kept its endpoints",
    given: [SITE, `${TILL} --key site`, "keys revoke site --yes --keep-endpoints"],
    line: "keys update site --keep-endpoints no",
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "deskbell webhooks delete {}",
    given: [
      SITE,
      `webhooks create --name a --url http://127.0.0.1:9/h --event booking.created --allow-private --key site ${salon}`,
    ],
    line: "keys update site --event-group catalog",
    adds: "--yes",
    outcome: "line succeeds",
  },
  {
    text: "add an option: deskbell keys update --help",
    given: [SITE],
    line: "keys update site",
    outcome: /--limit-minute/,
  },
  {
    text: "If it needs no events of bookings and ticket orders: deskbell keys update {} --event-group catalog",
    line: SITE,
    outcome: prints("keys show site", /event groups\tcatalog$/m),
  },
  {
    text: "deskbell keys update {} --max-endpoints {}",
    given: [`${SITE} --max-endpoints 1`, `${TILL} --key site`],
    line: `webhooks create --name two --url http://127.0.0.1:9/2 --event all --allow-private --key site ${salon}`,
    outcome: "line succeeds",
  },
  {
    text: "deskbell webhooks list",
    given: [TILL],
    line: `events trigger service.updated --endpoint whe_nope ${salon}`,
    outcome: /^whe_/,
  },
  {
    text: "deskbell webhooks update {} --key KEY, with another key or none; then enable it",
    given: [...revoked, SITE.replace("site", "other")],
    line: "webhooks enable till",
    fill: { KEY: "other" },
    outcome: "line succeeds",
  },
  {
    text: "The endpoint is still disabled. To enable it: deskbell webhooks enable {}",
    given: [...revoked, SITE.replace("site", "other")],
    line: "webhooks update till --key other",
    outcome: prints("webhooks show till", /ACTIVE/),
  },
  {
    text: "{} {} and {} {}. To enable it again: deskbell webhooks enable {}",
    given: [TILL],
    line: "webhooks disable till",
    outcome: prints("webhooks show till", /ACTIVE/),
  },
  {
    text: "No API key owns this endpoint, so no partner can see or manage it over HTTP. To change that: deskbell webhooks update {} --key KEY",
    given: [SITE],
    line: TILL,
    fill: { KEY: "site" },
    outcome: prints("webhooks show till", /site/),
  },
  {
    text: "use another --name, or rename that one: deskbell webhooks update {} --name NAME",
    given: [TILL],
    line: TILL.replace("/h", "/2"),
    fill: { NAME: "former" },
    outcome: "line succeeds",
  },
  {
    text: "deskbell webhooks rotate-secret {} --finish, or rotate again with --force",
    given: [TILL, "webhooks rotate-secret till"],
    line: "webhooks rotate-secret till",
    outcome: "line succeeds",
  },
  {
    text: "deskbell deliveries list",
    given: [TILL, TRIM],
    line: "deliveries show dlv_nope",
    outcome: "line succeeds",
    instead: "dlv_nope",
  },
  {
    text: "a new one receives only later events: deskbell webhooks create",
    given: [TILL, TRIM, "deliveries list", "webhooks delete till --yes"],
    line: "deliveries redeliver dlv_…",
    adds: TILL.replace("webhooks create ", ""),
    outcome: async ({ deskbell }) => {
      const before = await deskbell("deliveries list --status PENDING");
      await deskbell(`services update cut --name Cut ${salon}`);
      expect(before).toBe("No deliveries.\n");
      expect(await deskbell("deliveries list --status PENDING")).toMatch(/^dlv_/m);
    },
  },
  {
    text: "deskbell webhooks enable {}",
    given: [TILL, TRIM, "deliveries list", "webhooks disable till"],
    line: "deliveries redeliver dlv_…",
    outcome: "line succeeds",
  },
  {
    text: "deskbell deliveries {} {}",
    name: "cancel",
    given: [TILL, TRIM],
    line: "deliveries cancel",
    adds: "--yes",
    outcome: /^Cancelled/m,
  },
  {
    text: "deskbell deliveries {} {}",
    name: "redeliver",
    given: [TILL, TRIM],
    line: "deliveries redeliver",
    outcome: /deliver/,
  },
  {
    text: "deskbell events list",
    given: [],
    line: "events show evt_nope",
    outcome: "line succeeds",
    instead: "evt_nope",
  },
  {
    text: "deskbell events types",
    line: `events trigger nope ${salon}`,
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "choose another event type: deskbell events types",
    line: `events trigger reservation.created ${salon}`,
    outcome: "line succeeds",
    instead: "reservation.created",
  },
  {
    text: "deskbell {} cancel --key website --created-since 2h --dry-run",
    given: [SITE.replace("site", "website")],
    line: `bookings cancel ${salon}`,
    outcome: /has made no bookings/,
  },
  {
    text: "deskbell {}s list{}",
    given: [`bookings create --service cut --start 2026-12-02T11:00 ${salon}`],
    line: "audit list --visit nope",
    runs: [0, 1, 2],
    fill: { SLUG: "salon-aurora" },
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "Earlier backups still contain it: deskbell backup list",
    given: ["backup"],
    line: "businesses delete kita-live --yes",
    outcome: /deskbell-2026/,
  },
  {
    text: "deskbell guide lists all topics",
    line: "guide nope",
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell completion bash, or one of {}",
    line: "completion nope",
    outcome: /deskbell/,
  },
  {
    text: "to change all keys of the partner, add the option to deskbell {} update {}",
    given: [AGENCY],
    line: "keys update agency --event-group bookings",
    adds: "--event-group bookings",
    outcome: prints("partners show agency", /event groups\tbookings$/m),
  },
  {
    text: "only a key of one business can mail guests: deskbell keys create --help",
    given: [AGENCY],
    line: "keys update agency --guest-mail yes",
    outcome: /--guest-mail/,
  },
  {
    text: "to rotate a key of the partner, take its ID from deskbell {} show {}; to end the access, run deskbell {} exclude {} --business {}",
    name: "the keys of the partner",
    given: [AGENCY, "keys list --business salon-aurora"],
    line: "keys show key_…",
    outcome: /key_\w+/,
  },
  {
    text: "to rotate a key of the partner, take its ID from deskbell {} show {}; to end the access, run deskbell {} exclude {} --business {}",
    name: "the access of the partner",
    given: [AGENCY, "keys list --business salon-aurora"],
    line: "keys show key_…",
    runs: [1],
    adds: "--yes",
    outcome: prints("partners show agency", /excluded by\tsalon-aurora$/m),
  },
  {
    text: "add an option: deskbell partners update --help",
    given: [AGENCY],
    line: "partners update agency",
    outcome: /--total-minute/,
  },
  {
    text: "deskbell partners list",
    name: "a name that is taken",
    given: [AGENCY],
    line: AGENCY,
    outcome: /agency/,
  },
  {
    text: "deskbell partners list",
    name: "an unknown partner",
    given: [AGENCY],
    line: "partners show nope",
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell partners show {}",
    name: "a business that the partner reaches",
    given: [AGENCY],
    line: "partners add agency --business salon-aurora",
    outcome: /salon-aurora/,
  },
  {
    text: "deskbell partners show {}",
    name: "a business that the partner does not reach",
    given: [AGENCY],
    line: "partners remove agency --business cafe-lumen --yes",
    outcome: /salon-aurora/,
  },
];
