import type { Scope } from "../../domain/api-key.ts";
import type { EventGroup } from "../../domain/event-types.ts";

/** What a partner may do if the operator names nothing: read catalogs and receive their events. */
export const DEFAULT_SCOPES: readonly Scope[] = [
  "services.read",
  "webhooks.read",
  "webhooks.write",
];
export const DEFAULT_GROUPS: readonly EventGroup[] = ["catalog"];

export const DEFAULT_TOTALS = { minute: 600, hour: 10_000, endpoints: 10 };

export const MAX_NAME_LENGTH = 60;
