import { getBusiness } from "../../../app/businesses.ts";
import type { ChangeResult } from "../../../app/catalog/changes/plan-change.ts";
import { mailsGuests } from "../../../app/guests/mails-guests.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { choice, text } from "../../../cli/flags.ts";
import { assertNewFile, writeNewFile } from "../../../cli/input/new-file.ts";
import { namingFlags } from "../../../cli/objects/edits.ts";
import { findServerUrl } from "../../../cli/running/server-url.ts";
import { isLoopbackHost } from "../../../domain/addresses.ts";
import type { Kind } from "../../../domain/catalog/catalog.ts";
import { countOf } from "../../../domain/text.ts";

const publish = command({
  name: "publish",
  about:
    "Make the page of a business public, and print its URL. Its catalog file can do the same with publicPage.",
  supportsDryRun: true,
  arguments: ["<slug>"],
  flags: {
    booking: choice(
      ["OFF", "REQUEST", "CONFIRM"],
      "whether guests book on the page: not at all, as requests that you accept, or at once",
    ),
    privacyUrl: text("url", "page with your privacy policy, which the page links"),
    imprintUrl: text("url", "page with your imprint, which the page links"),
    qr: text("file", "write a QR code of the page's URL to a new SVG file, for a sign"),
    publicUrl: text("url", "URL at which guests reach the server (default: that of serve)"),
  },
  examples: [
    "businesses publish salon-aurora --dry-run",
    "businesses publish cafe-lumen --privacy-url https://lumen.example/privacy --imprint-url https://lumen.example/imprint",
  ],
  async run(cli, { booking, privacyUrl, imprintUrl, qr, publicUrl }, slug) {
    const rt = await cli.open();
    const business = cli.business(rt, slug);
    const { publishPage } = await import("../publish.ts");
    const base = findServerUrl(cli, rt, { publicUrl });
    const url = `${base}/b/${slug}`;
    const sign = qr === undefined ? "" : (await import("uqr")).renderSVG(url);
    const change = rt.tx(() => {
      const published = namingFlags(
        { privacyUrl: "--privacy-url", imprintUrl: "--imprint-url" },
        () => publishPage(rt, slug, { booking, privacyUrl, imprintUrl }),
      );
      // An error while the sign is written rolls this transaction back, so that the page stays as
      // it was.
      if (qr !== undefined)
        if (cli.flags.dryRun) assertNewFile(qr);
        else writeNewFile(qr, sign);
      return published;
    });
    const shows = countShown(rt.store.catalog.countByKind(business.id));
    const { publicPage } = getBusiness(rt, slug).doc;
    if (cli.flags.json) cli.printObject({ slug, url, published: true, shows, ...changeOf(change) });
    else cli.print(`${url}\n`);
    noteChange(cli, change, "The page was public already.");
    cli.note(
      `${cli.flags.dryRun ? "It would show" : "It shows"} everybody the name, texts, pictures, hours and contact details of ${slug}, ${describeShown(shows)}; never guests, visits or keys.`,
    );
    if (publicPage.booking !== "OFF" && !mailsGuests(rt))
      cli.note(
        "Visits that nobody has confirmed take at most a tenth of the free time of seven days, and half a day of each person or table. After that, the page leads guests to other days and shows your telephone number, until you confirm visits. With serve --guest-mail, guests can go on booking, and confirm their visits by a link in a mail.",
      );
    if (isLoopbackHost(new URL(base).host))
      cli.note("Only this machine can reach that address: name the public one with --public-url.");
    if (!cli.flags.dryRun) cli.note(`To end it: ${cli.program} businesses unpublish ${slug}`);
  },
});

const unpublish = command({
  name: "unpublish",
  about: "End the page of a business: its address then tells nothing. Its settings stay.",
  supportsDryRun: true,
  arguments: ["<slug>"],
  examples: ["businesses unpublish salon-aurora", "businesses unpublish salon-aurora --dry-run"],
  async run(cli, _flags, slug) {
    const rt = await cli.open();
    cli.business(rt, slug);
    const { unpublishPage } = await import("../publish.ts");
    const change = unpublishPage(rt, slug);
    if (cli.flags.json) cli.printObject({ slug, published: false, ...changeOf(change) });
    noteChange(cli, change, "The page was not public.");
  },
});

const changeOf = ({ fromVersion, version, events, deliveries }: ChangeResult) => ({
  fromVersion,
  version,
  events: events.length,
  deliveries,
});

function noteChange(cli: Cli, change: ChangeResult, noteIfUnchanged: string): void {
  const { slug, fromVersion, version, deliveries } = change;
  if (version === fromVersion) return cli.note(noteIfUnchanged);
  const verb = cli.flags.dryRun ? "would change version" : "version";
  cli.note(
    `${slug}: ${verb} ${fromVersion} -> ${version}, ${countOf(deliveries, "webhook")} to send.`,
  );
}

/** The kinds of objects that the page lists, with their nouns. */
const SHOWN = {
  service: "service",
  menu_item: "dish",
  staff: "staff member",
  public_event: "event",
  promotion: "promotion",
} as const satisfies { [K in Kind]?: string };

type Shown = Record<keyof typeof SHOWN, number>;

/** Returns how many objects of each kind the catalog has, including hidden ones. */
const countShown = (counts: ReadonlyMap<Kind, number>): Shown =>
  Object.fromEntries(
    Object.keys(SHOWN).map((kind) => [kind, counts.get(kind as Kind) ?? 0]),
  ) as Shown;

function describeShown(shown: Shown): string {
  const parts = Object.entries(SHOWN).flatMap(([kind, noun]) => {
    const count = shown[kind as keyof Shown];
    return count === 0 ? [] : [countOf(count, noun)];
  });
  return parts.length === 0
    ? "and nothing of its catalog"
    : `and what is active of ${parts.join(", ")}`;
}

export const subcommands = [publish, unpublish];
