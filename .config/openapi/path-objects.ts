import type { RouteSpec } from "../../src/http/pipeline/route.ts";

/** The objects of the core whose IDs are in paths, by the segment before the ID. */
export const PATH_OBJECTS = {
  webhooks: { noun: "endpoint", id: "whe_06gzfjm44t8c9kf1ccbxp7rfb" },
  holds: { noun: "hold", id: "hld_06gzfjm44t8c9kf1ccbxp7rfd" },
  bookings: { noun: "booking", id: "bkg_06gzfjm44t8c9kf1ccbxp7rfe" },
  reservations: { noun: "reservation", id: "rsv_06gzfjm44t8c9kf1ccbxp7rff" },
  changes: { noun: "event", id: "evt_06gzfjm44jbnv0hmhvsz14qc5" },
  deliveries: { noun: "delivery", id: "dlv_06gzfjm44t8c9kf1ccbxp7rfc" },
};

type PathParameter = { name: string; description: string; example: string };

/**
 * Returns the parameters in the path of a route, besides the slug. The routes of features define
 * their own in `pathParameters`.
 */
export function objectParametersOf({
  path,
  pathParameters = {},
}: Pick<RouteSpec, "path" | "pathParameters">): PathParameter[] {
  const objects = Object.entries(PATH_OBJECTS)
    .filter(([segment]) => path.includes(`/${segment}/:id`))
    .map(([, { noun, id }]) => ({ name: "id", description: `ID of the ${noun}`, example: id }));
  const own = Object.entries(pathParameters).map(([name, parameter]) => ({ name, ...parameter }));
  return [...objects, ...own];
}
