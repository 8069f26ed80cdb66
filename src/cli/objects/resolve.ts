import { AppError } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import type { ListedKey } from "../../store/keys.ts";
import type { Cli } from "../cli.ts";
import { usageError } from "../failure.ts";

type Named = { id: string; name: string; businessId: string };

export const resolveKey = (cli: Cli, rt: Runtime, name: string): ListedKey =>
  getOne(cli, rt, name, { noun: "key", group: "keys", all: rt.store.keys.list() });

export const resolveEndpoint = (cli: Cli, rt: Runtime, name: string): EndpointRow =>
  getOne(cli, rt, name, {
    noun: "webhook endpoint",
    group: "webhooks",
    all: rt.store.endpoints.list(),
  });

/**
 * Returns the ID of an endpoint. Accepts the ID of a deleted one, because its deliveries are kept.
 */
export const resolveEndpointId = (cli: Cli, rt: Runtime, name: string): string =>
  name.startsWith("whe_") ? name : resolveEndpoint(cli, rt, name).id;

/**
 * Returns the row with this ID, or with this name if it is unique within the selected businesses.
 * @throws AppError resource_not_found; usage for an ambiguous name
 */
function getOne<Row extends Named>(
  cli: Cli,
  rt: Runtime,
  name: string,
  { noun, group, all }: { noun: string; group: string; all: readonly Row[] },
): Row {
  const named = all.find(({ id }) => id === name);
  if (named) return named;
  const businessId = cli.businessId(rt);
  const own = all.filter((row) => businessId === undefined || row.businessId === businessId);
  const [found, ...others] = own.filter((row) => row.name === name);
  if (!found) {
    const names = own.map((row) => row.name);
    throw new AppError(
      "resource_not_found",
      `There is no ${noun} '${name}'.${didYouMean(name, names)}`,
      {
        fix: `deskbell ${group} list`,
      },
    );
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id);
  throw usageError(
    `The name '${name}' is ambiguous: ${ids.join(", ")}.`,
    `use the ID instead (see deskbell ${group} list)`,
  );
}
