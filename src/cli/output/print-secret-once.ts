import type { Cli } from "../cli.ts";
import { createPrivateFile } from "../input/new-file.ts";

export type NewSecret = { secret: string; owner: object };

/**
 * Creates a secret and prints it alone on stdout, so that `KEY=$(deskbell …)` works, or writes it
 * to a new file. The file is opened first, so that no secret exists that could not be handed out. A
 * dry run prints no secret.
 */
export async function printSecretOnce(
  cli: Cli,
  outFile: string | undefined,
  create: () => NewSecret | Promise<NewSecret>,
): Promise<void> {
  if (cli.flags.dryRun) return cli.printObject((await create()).owner);
  const file = outFile === undefined ? undefined : createPrivateFile(outFile);
  let created: NewSecret;
  try {
    created = await create();
  } catch (error) {
    file?.discard();
    throw error;
  }
  const { secret, owner } = created;
  file?.write(`${secret}\n`);
  if (cli.flags.json) cli.printObject(file ? owner : { ...owner, secret });
  else if (!file) cli.io.stdout.write(`${secret}\n`);
}
