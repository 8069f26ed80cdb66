import type { Cli } from "../../../cli/cli.ts";
import type { CreatedKey } from "../../../app/keys.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";
import { duration, text, toggle } from "../../../cli/flags.ts";
import { printSecretOnce } from "../../../cli/input/new-file.ts";
import { withIsoTimes } from "../../../cli/output/table.ts";
import { hashApiKey } from "../../../domain/api-key.ts";
import { quote } from "../../../domain/text.ts";
import type { ListedKey } from "../../../store/keys.ts";

// `partners create` and `partners create-key` print the key that they create.

const HASH = /^[0-9a-f]{64}$/i;

export const keyFlags = {
  selfRotation: toggle("the partner may rotate the key over HTTP, with its newest secret"),
  keyHash: text(
    "sha256",
    "the keyHash that `partners create` printed on another server: the same key is then valid on both",
  ),
  out: text("file", "write the key to a new file (0600) instead of stdout"),
};

export const createKey = command({
  name: "create-key",
  about:
    "Create another key of a partner, with the same rights. `keys rotate` and `keys revoke` change it.",
  supportsDryRun: true,
  arguments: ["<partner>"],
  flags: {
    name: text("name", "what the key is for (default: the name of the partner)"),
    expires: duration("lifetime, such as 90d (default: unlimited)"),
    ...keyFlags,
  },
  examples: [
    "partners create-key aggregator --name backup",
    "partners create-key aggregator --expires 90d --out aggregator.key",
  ],
  async run(cli, { name: keyName, expires, selfRotation, keyHash, out }, name) {
    const rt = await cli.open();
    const { createPartnerKey, getPartner } = await import("../partners.ts");
    const partner = getPartner(rt, name);
    const expiresAt = expires === undefined ? null : rt.now() + expires;
    const input = { name: keyName, expiresAt, selfRotation, secretHash: parseHash(keyHash) };
    printKeyOnce(cli, rt, out, keyHash, () => createPartnerKey(rt, partner, input));
  },
});

/** @throws AppError usage */
export function parseHash(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  if (HASH.test(text)) return Buffer.from(text, "hex");
  throw usageError(
    "Invalid --key-hash: expected the 64 hexadecimal digits of a SHA-256.",
    "copy the keyHash that deskbell partners create --json printed on the first server",
  );
}

/**
 * Creates a key and prints it once. If another server made the key, this server knows only its
 * hash, and prints no secret.
 */
export function printKeyOnce<Created extends CreatedKey>(
  cli: Cli,
  rt: Runtime,
  out: string | undefined,
  keyHash: string | undefined,
  create: () => Created,
): Created {
  const describe = ({ key, secret }: CreatedKey) => ({
    ...toKeyOutput(key),
    keyHash: keyHash?.toLowerCase() ?? hashApiKey(secret).toString("hex"),
  });
  if (keyHash === undefined)
    return printSecretOnce(cli, rt, out, create, (created) => ({
      secret: created.secret,
      owner: describe(created),
    }));
  if (out !== undefined)
    throw usageError("--key-hash prints no key, so there is nothing to write.", "omit --out");
  const created = create();
  const { id, name } = created.key;
  // A dry run names no ID, because the key will get another ID when it is created.
  cli.report(
    describe(created),
    `${cli.verb("Created", "create")} the key ${cli.flags.dryRun ? quote(name) : id}.`,
  );
  return created;
}

const toKeyOutput = ({ id, name, scopes, eventGroups, cidrs, ...key }: ListedKey) =>
  withIsoTimes(
    {
      id,
      name,
      partnerId: key.partnerId,
      prefix: key.prefix,
      last4: key.last4,
      scopes,
      eventGroups,
      cidrs,
      selfRotation: key.selfRotation,
      createdAt: key.createdAt,
      lastUsedAt: key.lastUsedAt,
      expiresAt: key.expiresAt,
      revokedAt: key.revokedAt,
    },
    "createdAt",
    "lastUsedAt",
    "expiresAt",
    "revokedAt",
  );
