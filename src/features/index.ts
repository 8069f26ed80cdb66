import { alerts } from "./alerts/feature.ts";
import { backups } from "./backups/feature.ts";
import { calendars } from "./calendars/feature.ts";
import { completion } from "./completion/feature.ts";
import { csv } from "./csv/feature.ts";
import { desk } from "./desk/feature.ts";
import { docs } from "./docs/feature.ts";
import { doctor } from "./doctor/feature.ts";
import { demo } from "./demo/feature.ts";
import type { Feature } from "./feature.ts";
import { guestData } from "./guest-data/feature.ts";
import { guestMail } from "./guest-mail/feature.ts";
import { liveView } from "./live-view/feature.ts";
import { mcp } from "./mcp/feature.ts";
import { nats } from "./nats/feature.ts";
import { pageBookings } from "./page-bookings/feature.ts";
import { partners } from "./partners/feature.ts";
import { partnerPage } from "./partner-page/feature.ts";
import { publicPages } from "./public-pages/feature.ts";
import { servers } from "./servers/feature.ts";
import { requestTail } from "./request-tail/feature.ts";
import { samples } from "./samples/feature.ts";
import { square } from "./square/feature.ts";
import { systemd } from "./systemd/feature.ts";
import { tickets } from "./tickets/feature.ts";
import { undo } from "./undo/feature.ts";
import { webhookTools } from "./webhook-tools/feature.ts";

// The core reaches features only through this list and, in transactions, through the lists beside
// it. The core reads this list when it needs a value, not while modules load, because a bundle may
// evaluate a feature's module later than the core.

const LIST = [
  backups,
  nats,
  calendars,
  samples,
  demo,
  doctor,
  liveView,
  square,
  csv,
  alerts,
  guestData,
  systemd,
  servers,
  completion,
  tickets,
  undo,
  docs,
  partners,
  partnerPage,
  publicPages,
  pageBookings,
  mcp,
  webhookTools,
  requestTail,
  desk,
  guestMail,
] as const;

export const FEATURES: readonly Feature[] = LIST;

/** The values that the features list in a field such as `auditActions`. */
export type ValuesIn<Name extends keyof Feature> = (typeof LIST)[number] extends infer One
  ? One extends { readonly [Key in Name]: readonly (infer Value)[] }
    ? Value
    : never
  : never;

/** The keys of the objects that the features have in a field such as `conditions`. */
export type KeysIn<Name extends keyof Feature> = (typeof LIST)[number] extends infer One
  ? One extends { readonly [Key in Name]: infer Values }
    ? keyof Values
    : never
  : never;

/** Returns the values that the features list in a field. */
export const listOfFeatures = <Name extends "auditActions">(name: Name): ValuesIn<Name>[] =>
  FEATURES.flatMap((feature) => feature[name] ?? []) as ValuesIn<Name>[];

/** The names of the fields whose value is a function that imports a list. */
type LoadedField = {
  [Name in keyof Feature]-?: NonNullable<Feature[Name]> extends () => Promise<{
    readonly [Key in Name]: readonly unknown[];
  }>
    ? Name
    : never;
}[keyof Feature];
type LoadedValue<Name extends LoadedField> =
  Awaited<ReturnType<NonNullable<Feature[Name]>>> extends infer Module
    ? Module extends { readonly [Key in Name]: readonly (infer Value)[] }
      ? Value
      : never
    : never;

/** Loads the lists that the features have for a field such as `routes`. */
export async function loadFromFeatures<Name extends LoadedField>(
  name: Name,
): Promise<LoadedValue<Name>[]> {
  const modules = await Promise.all(FEATURES.map((feature) => feature[name]?.()));
  return modules.flatMap((module) =>
    module === undefined ? [] : (module as Record<Name, readonly LoadedValue<Name>[]>)[name],
  );
}
