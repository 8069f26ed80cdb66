import type { Permissions } from "../../app/catalog/changes/replace-catalog.ts";
import type { Cli } from "../cli.ts";

type Confirmed = NonNullable<Permissions["confirmed"]>;

/**
 * Applies a change. If the change needs a confirmation, asks for it and applies the change again.
 * @param given what needs no question, for example `true` (everything) with --yes
 */
export async function whenConfirmed<Result>(
  cli: Cli,
  given: Confirmed,
  apply: (confirmed: Confirmed) => Result,
): Promise<Result> {
  const { UnconfirmedChange } = await import("../../app/catalog/changes/replace-catalog.ts");
  try {
    return apply(given);
  } catch (error) {
    if (!(error instanceof UnconfirmedChange)) throw error;
    await cli.agree(`This would ${error.losses}. Continue?`, error);
    // The error also serves as the confirmation: it allows exactly the losses that it names.
    return apply(error);
  }
}
