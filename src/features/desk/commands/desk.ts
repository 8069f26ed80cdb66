import { isLoopbackHost } from "../../../domain/addresses.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";
import { requiredText, text } from "../../../cli/flags.ts";
import { printSecretOnce } from "../../../cli/input/new-file.ts";
import { resolveObject } from "../../../cli/objects/objects.ts";
import { shortTime, withIsoTimes } from "../../../cli/output/table.ts";
import { findServerUrl } from "../../../cli/running/server-url.ts";
import { AppError } from "../../../domain/errors.ts";
import { countOf, quote, shellQuote } from "../../../domain/text.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { DESK_RIGHTS, type DeskRight, defaultRights } from "../rules.ts";
import type { DeskRow } from "../store.ts";

const linkFlags = {
  publicUrl: text("url", "URL at which phones reach the server (default: that of serve)"),
  out: text("file", "write the link to a new file (0600) instead of stdout"),
};

const create = command({
  name: "create",
  about:
    "Create a desk, the page for the people in the shop, and print a link that pairs one device with it.",
  supportsDryRun: true,
  flags: {
    name: requiredText("name", "name of the desk, which the audit log shows"),
    staff: text("key", "only the visits of this staff member"),
    allow: text("rights", `what it shows and changes, of ${DESK_RIGHTS.join(",")}`),
    ...linkFlags,
  },
  examples: [
    "desk create --name 'Front desk'",
    "desk create --name 'Maya' --staff maya --allow visits,guests",
  ],
  async run(cli, { name, staff, allow, ...flags }) {
    const { rt, business } = await cli.openBusiness();
    const staffId = staff === undefined ? null : resolveObject(rt, business, "staff", staff).id;
    const rights = allow === undefined ? defaultRights(staffId) : parseRights(allow);
    const { createDesk, createDeskLink } = await import("../desks.ts");
    await printLink(cli, rt, business, flags, () => {
      createDesk(rt, business, { name, staffId, allow: rights });
      return createDeskLink(rt, business.id, name);
    });
  },
});

function parseRights(text: string): DeskRight[] {
  const given = text.split(",").map((one) => one.trim());
  const unknown = given.find((one) => !DESK_RIGHTS.some((right) => right === one));
  if (unknown !== undefined)
    throw usageError(
      `Invalid --allow: there is no right ${quote(unknown)}.`,
      `use a list of ${DESK_RIGHTS.join(",")}`,
    );
  return DESK_RIGHTS.filter((right) => given.includes(right));
}

const link = command({
  name: "link",
  about: "Print a link that pairs another device with a desk. An earlier link of the desk ends.",
  supportsDryRun: true,
  arguments: ["<desk>"],
  flags: linkFlags,
  examples: ["desk link 'Back room'", "desk link 'Back room' --out desk.url"],
  async run(cli, flags, name) {
    const { rt, business } = await cli.openBusiness();
    const { createDeskLink } = await import("../desks.ts");
    await printLink(cli, rt, business, flags, () => createDeskLink(rt, business.id, name));
  },
});

type Link = { desk: DeskRow; token: string; expiresAt: number };

/** Creates a link and prints it once; on a terminal, with a QR code for the phone that opens it. */
async function printLink(
  cli: Cli,
  rt: Runtime,
  business: BusinessRow,
  { out, ...flags }: { out: string | undefined; publicUrl: string | undefined },
  createLink: () => Link,
): Promise<void> {
  const base = findBase(cli, rt, flags);
  const urlOf = ({ token }: Link) => `${base}/b/${business.slug}/desk/pair/${token}`;
  const created = printSecretOnce(
    cli,
    rt,
    out,
    () => rt.tx(createLink),
    (one) => ({
      secret: urlOf(one),
      owner: withIsoTimes({ ...toOutput(one.desk), linkEndsAt: one.expiresAt }, "linkEndsAt"),
    }),
  );
  if (cli.flags.dryRun) return;
  if (cli.io.stdout.isTTY && out === undefined && !cli.flags.json) {
    const { renderUnicodeCompact } = await import("uqr");
    cli.io.stdout.write(`${renderUnicodeCompact(urlOf(created))}\n`);
  }
  const name = shellQuote(created.desk.name);
  cli.note(
    `Open the link on the device within an hour: it works once. For another device: ${cli.program} desk link ${name} --business ${business.slug}`,
  );
  if (isLoopbackHost(new URL(base).host))
    cli.note("Only this machine can reach that address: name the public one with --public-url.");
}

/**
 * Returns the URL at which devices reach the server.
 * @throws AppError state_refuses without https: the cookie would be sent in plain text
 */
function findBase(cli: Cli, rt: Runtime, flags: { publicUrl: string | undefined }): string {
  const base = findServerUrl(cli, rt, flags);
  const { protocol, host } = new URL(base);
  if (protocol === "https:" || isLoopbackHost(host)) return base;
  throw new AppError("state_refuses", `A desk needs https, and ${base} has none.`, {
    fix: "name the URL of your proxy, such as --public-url https://shop.example.com",
  });
}

const list = command({
  name: "list",
  about: "List desks and the devices that are paired with them.",
  examples: ["desk list", "desk list --json"],
  async run(cli) {
    const { rt, business } = await cli.openBusiness();
    const { listDesks } = await import("../desks.ts");
    const nameOf = (staffId: string | null) =>
      staffId === null
        ? "whole business"
        : (rt.store.catalog.findByKeyOrId(business.id, "staff", staffId)?.name ?? staffId);
    cli.printList(
      listDesks(rt, business.id).map(({ devices, linkEndsAt, ...desk }) => ({
        ...toOutput(desk),
        ...withIsoTimes({ linkEndsAt }, "linkEndsAt"),
        devices: devices.map(({ deskId: _, ...device }) =>
          withIsoTimes(device, "pairedAt", "usedAt", "expiresAt"),
        ),
      })),
      [
        "name",
        { title: "OF", value: ({ staffId }) => nameOf(staffId) },
        { title: "ALLOWS", value: ({ allow }) => allow.join(",") },
        {
          title: "DEVICES",
          value: ({ devices }) =>
            devices
              .map(({ id, kind, usedAt }) => `${kind} ${id} (${shortTime(usedAt)})`)
              .join(", "),
          wraps: true,
        },
        { title: "LINK UNTIL", value: ({ linkEndsAt }) => shortTime(linkEndsAt), optional: true },
        { title: "ID", value: "id", noTruncate: true, optional: true },
      ],
      `${business.slug} has no desks.`,
    );
  },
});

const revoke = command({
  name: "revoke",
  about:
    "Revoke a desk with all of its devices, or one device: the page stops working at the next request.",
  supportsDryRun: true,
  arguments: ["<desk>"],
  flags: { device: text("id", "only this device, such as a phone that was lost") },
  examples: ["desk revoke 'Back room'", "desk revoke 'Back room' --json"],
  async run(cli, { device }, name) {
    const { rt, business } = await cli.openBusiness();
    const { listDesks, revokeDesk } = await import("../desks.ts");
    const before = listDesks(rt, business.id);
    const desk = revokeDesk(rt, business.id, name, device);
    const count = before.find(({ id }) => id === desk.id)?.devices.length ?? 0;
    const revoked = device ?? `${desk.name} and ${countOf(count, "device")}`;
    cli.report(toOutput(desk), `${cli.verb("Revoked", "revoke")} ${revoked}.`);
  },
});

const toOutput = ({ businessId: _, ...desk }: DeskRow) =>
  withIsoTimes(desk, "createdAt", "revokedAt");

export const definition = [create, link, list, revoke];
