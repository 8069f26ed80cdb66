import type { Cli } from "../cli.ts";
import { createPrivateFile } from "../input/private-file.ts";

/** A secret and the object that it belongs to. */
export type NewSecret = { secret: string; owner: object };

/**
 * Makes a secret and gives it to the person, this once: alone on stdout, so that `$(deskbell …)` holds it, or in a file of
 * their own. The file is opened before the secret is made: no key comes to life that nobody has been given. A dry run's secret
 * opens nothing and is not shown.
 */
export async function printSecretOnce(
  cli: Cli,
  outFile: string | undefined,
  make: () => NewSecret | Promise<NewSecret>,
): Promise<void> {
  if (cli.flags.dryRun) return cli.printObject((await make()).owner);
  const file = outFile === undefined ? undefined : createPrivateFile(outFile);
  let made: NewSecret;
  try {
    made = await make();
  } catch (error) {
    file?.discard();
    throw error;
  }
  file?.write(`${made.secret}\n`);
  if (cli.flags.json) cli.printObject(file ? made.owner : { ...made.owner, secret: made.secret });
  else if (!file) cli.io.stdout.write(`${made.secret}\n`);
}
