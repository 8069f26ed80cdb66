import { differingFields } from "../../domain/equality.ts";
import { AppError } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import { generateSecret } from "../../domain/webhooks/webhook-post.ts";
import { auditRow } from "../../app/audit.ts";
import { assertMasterKey } from "../../app/master-key.ts";
import { assertDiskSpace } from "../../app/disk-space.ts";
import type { Runtime } from "../../app/runtime.ts";
import { getDestination } from "./delete-destination.ts";
import { decryptSecrets, encryptSecrets } from "./secrets.ts";
import {
  type DestinationChanges,
  parseDestination,
  type RequestedDestination,
} from "./settings.ts";
import { createDestinationStore, type DestinationRow, type DestinationSettings } from "./store.ts";

/**
 * Creates a destination, to which events are published from now on. The signing secret
 * cannot be read later.
 * @param businessId null for all businesses, including those created later
 * @throws AppError validation_failed, conflict, signing_unavailable
 */
export function createDestination(
  rt: Runtime,
  requested: RequestedDestination,
  businessId: string | null,
): { destination: DestinationRow; secret: string } {
  const settings = parseDestination(requested);
  return rt.tx(() => {
    assertDiskSpace(rt);
    assertUnusedName(rt, settings.name);
    assertMasterKey(rt);
    const now = rt.now();
    const id = rt.newId("dst");
    const secret = generateSecret(rt.random);
    const destination: DestinationRow = {
      id,
      ...settings,
      sealed: encryptSecrets(rt, id, { signingSecret: secret, credentials: requested.credentials }),
      businessId,
      version: 1,
      createdAt: now,
      updatedAt: now,
      behindSince: null,
      lastError: null,
      streamSequence: null,
      recreatedAt: null,
    };
    rt.openStore(createDestinationStore).insert(destination);
    auditRow(rt, "destination.created", destination, { host: hostOf(destination) });
    return { destination, secret };
  });
}

/** @throws AppError resource_not_found, validation_failed, conflict, signing_unavailable */
export function updateDestination(
  rt: Runtime,
  id: string,
  changes: DestinationChanges,
): DestinationRow {
  return rt.tx(() => {
    const before = getDestination(rt, id);
    const secrets = decryptSecrets(rt, before);
    const credentials = changes.credentials ?? secrets.credentials;
    const settings = parseDestination({ ...before, ...given(changes), credentials });
    if (settings.name !== before.name) assertUnusedName(rt, settings.name);
    const fields = differingFields(before, { ...before, ...settings });
    if (changes.credentials !== undefined) fields.push("credentials");
    if (fields.length === 0) return before;
    const sealed = encryptSecrets(rt, id, { ...secrets, credentials });
    rt.openStore(createDestinationStore).update(id, { ...settings, sealed }, rt.now());
    const after = getDestination(rt, id);
    auditRow(rt, "destination.updated", after, { fields, host: hostOf(after) });
    return after;
  });
}

const hostOf = ({ url }: Pick<DestinationSettings, "url">): string => new URL(url).host;

const given = (changes: DestinationChanges): Partial<RequestedDestination> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));

/** @throws AppError conflict */
function assertUnusedName(rt: Runtime, name: string): void {
  if (
    !rt
      .openStore(createDestinationStore)
      .list()
      .some((other) => other.name === name)
  )
    return;
  throw new AppError("conflict", `There is already a destination ${quote(name)}.`, {
    fix: "choose another --name, or see deskbell destinations list",
  });
}
