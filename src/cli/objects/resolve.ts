import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import type { ListedKey } from "../../store/keys.ts";
import type { Cli } from "../cli.ts";

type Named = { id: string; name: string; businessId: string };

export const resolveKey = (cli: Cli, rt: Runtime, name: string): ListedKey =>
  findOne(cli, rt, name, { what: "key", group: "keys", all: rt.store.keys.list() });

export const resolveEndpoint = (cli: Cli, rt: Runtime, name: string): EndpointRow =>
  findOne(cli, rt, name, {
    what: "webhook endpoint",
    group: "webhooks",
    all: rt.store.endpoints.list(),
  });

/** The id of an endpoint; also of one that was deleted, as its deliveries are still on file. */
export const resolveEndpointId = (cli: Cli, rt: Runtime, name: string): string =>
  name.startsWith("whe_") ? name : resolveEndpoint(cli, rt, name).id;

/**
 * The one that a person names by its id, or by its name where no other of the business has it.
 * @throws AppError resource_not_found, usage for a name that several have
 */
function findOne<Row extends Named>(
  cli: Cli,
  rt: Runtime,
  name: string,
  { what, group, all }: { what: string; group: string; all: readonly Row[] },
): Row {
  const named = all.find(({ id }) => id === name);
  if (named) return named;
  const businessId = cli.flags.business === undefined ? undefined : cli.business(rt).id;
  const own = all.filter((one) => businessId === undefined || one.businessId === businessId);
  const [found, ...others] = own.filter((one) => one.name === name);
  if (!found) {
    const names = own.map((one) => one.name);
    throw new AppError(
      "resource_not_found",
      `There is no ${what} '${name}'.${didYouMean(name, names)}`,
      {
        fix: `deskbell ${group} list`,
      },
    );
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id);
  throw new AppError("usage", `Several are named '${name}': ${ids.join(", ")}.`, {
    fix: `name one by its id, which deskbell ${group} list tells`,
  });
}
