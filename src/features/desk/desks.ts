import { hash } from "node:crypto";
import { auditRow } from "../../app/audit.ts";
import { revokeForGood } from "../../app/revoke-for-good.ts";
import type { Runtime } from "../../app/runtime.ts";
import { outsideLine } from "../../domain/basic-schemas.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import {
  DEVICE_MS,
  type DeskRight,
  deviceKindOf,
  LINK_MS,
  MAX_DESKS,
  MAX_DEVICES,
} from "./rules.ts";
import { createDeskStore, type DeskRow, type DeviceRow } from "./store.ts";

const TOKEN_BYTES = 24;
/** The log recognises and redacts tokens of links and devices, which have these forms. */
const LINK_TOKEN = /^deskbell_dl_[0-9a-f]{48}$/;
const DEVICE_TOKEN = /^deskbell_dd_[0-9a-f]{48}$/;

/** Returns the hash of a token. Its 192 random bits need no salt and no stretching. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");

const createToken = (rt: Runtime, prefix: "deskbell_dl" | "deskbell_dd"): string =>
  `${prefix}_${rt.random(TOKEN_BYTES).toString("hex")}`;

const NAME = outsideLine(60);

/** @throws AppError validation_failed, conflict */
export function createDesk(
  rt: Runtime,
  business: BusinessRow,
  { name, staffId, allow }: Pick<DeskRow, "name" | "staffId" | "allow">,
): DeskRow {
  if (!NAME.safeParse(name).success)
    throw new AppError("validation_failed", "The name must be one line of 1 to 60 characters.");
  return rt.tx(() => {
    const store = rt.openStore(createDeskStore);
    if (store.findByName(business.id, name))
      throw new AppError("conflict", `There is already a desk ${quote(name)}.`, {
        fix: "deskbell desk list",
      });
    if (store.list(business.id).length >= MAX_DESKS)
      throw new AppError("conflict", `A business can have at most ${MAX_DESKS} desks.`, {
        fix: "deskbell desk list",
      });
    const desk: DeskRow = {
      id: rt.newId("dsk"),
      businessId: business.id,
      name,
      staffId,
      allow,
      createdAt: rt.now(),
      revokedAt: null,
    };
    store.insert(desk);
    auditRow(rt, "desk.created", desk, { staffId, allow });
    return desk;
  });
}

/**
 * Returns the desk and the only copy of a token that pairs one device with it. An earlier link of
 * the desk ends.
 * @throws AppError resource_not_found
 */
export const createDeskLink = (
  rt: Runtime,
  businessId: string,
  nameOrId: string,
): { desk: DeskRow; token: string; expiresAt: number } =>
  rt.tx(() => {
    const desk = getDesk(rt, businessId, nameOrId);
    const token = createToken(rt, "deskbell_dl");
    const expiresAt = rt.now() + LINK_MS;
    rt.openStore(createDeskStore).saveLink(desk.id, hashToken(token), expiresAt);
    auditRow(rt, "desk.link_created", desk);
    return { desk, token, expiresAt };
  });

/** @throws AppError resource_not_found */
export const getDesk = (rt: Runtime, businessId: string, nameOrId: string): DeskRow =>
  assertFound(
    rt.openStore(createDeskStore).findByName(businessId, nameOrId),
    `There is no desk ${quote(nameOrId)}.`,
    "deskbell desk list",
  );

export const listDesks = (rt: Runtime, businessId: string) =>
  rt
    .openStore(createDeskStore)
    .list(businessId)
    .map((desk) => ({
      ...desk,
      linkEndsAt: rt.openStore(createDeskStore).findLinkEnd(desk.id, rt.now()) ?? null,
      devices: rt.openStore(createDeskStore).listDevices(desk.id, rt.now()),
    }));

/**
 * Revokes a desk with its link and devices, or one of its devices.
 * @throws AppError resource_not_found
 */
export const revokeDesk = (
  rt: Runtime,
  businessId: string,
  nameOrId: string,
  deviceId?: string,
): DeskRow =>
  deviceId === undefined
    ? revokeWholeDesk(rt, getDesk(rt, businessId, nameOrId))
    : revokeDevice(rt, getDesk(rt, businessId, nameOrId), deviceId);

const revokeWholeDesk = (rt: Runtime, desk: DeskRow): DeskRow =>
  revokeForGood(rt, [desk.id], () => {
    rt.openStore(createDeskStore).revoke(desk.id, rt.now());
    auditRow(rt, "desk.revoked", desk);
    return { ...desk, revokedAt: rt.now() };
  });

/**
 * Revokes a device of a desk. Devices do not need `revokeForGood`, because the restore of a backup
 * brings none of them back.
 */
const revokeDevice = (rt: Runtime, desk: DeskRow, deviceId: string): DeskRow =>
  rt.tx(() => {
    const store = rt.openStore(createDeskStore);
    const device = assertFound(
      store.listDevices(desk.id, rt.now()).find(({ id }) => id === deviceId),
      `The desk ${quote(desk.name)} has no device ${quote(deviceId)}.`,
      "deskbell desk list",
    );
    store.deleteDevice(device.id);
    auditRow(rt, "desk.device_revoked", desk, { device: device.id, kind: device.kind });
    return desk;
  });

/** A device that is paired with a desk. */
export type DeskSession = { business: BusinessRow; desk: DeskRow; device: DeviceRow };

/** Returns the desk of a link that can still pair a device; undefined for other tokens. */
export function findDeskByLink(rt: Runtime, slug: string, token: string): DeskRow | undefined {
  if (!LINK_TOKEN.test(token)) return undefined;
  const store = rt.openStore(createDeskStore);
  const id = store.findDeskOfLink(hashToken(token), rt.now());
  const desk = id === undefined ? undefined : store.findById(id);
  return desk && rt.store.businesses.findBySlug(slug)?.id === desk.businessId ? desk : undefined;
}

/**
 * Pairs a device with the desk of a link, and ends the link.
 * @returns the only copy of the device's token; undefined if the link has ended
 * @throws AppError conflict if the desk has too many devices
 */
export const pairDevice = (
  rt: Runtime,
  slug: string,
  linkToken: string,
  { userAgent, address }: { userAgent: string | undefined; address: string | null },
): string | undefined =>
  rt.tx(() => {
    const desk = findDeskByLink(rt, slug, linkToken);
    if (desk === undefined) return undefined;
    const store = rt.openStore(createDeskStore);
    const now = rt.now();
    if (store.listDevices(desk.id, now).length >= MAX_DEVICES)
      throw new AppError("conflict", `This desk has ${MAX_DEVICES} devices already.`);
    const device: DeviceRow = {
      id: rt.newId("ddv"),
      deskId: desk.id,
      kind: deviceKindOf(userAgent),
      pairedAt: now,
      usedAt: now,
      expiresAt: now + DEVICE_MS,
    };
    const token = createToken(rt, "deskbell_dd");
    store.deleteLink(desk.id);
    store.insertDevice(device, hashToken(token));
    runAsDesk(rt, desk, address, () =>
      auditRow(rt, "desk.paired", desk, { device: device.id, kind: device.kind }),
    );
    return token;
  });

/** The shortest time between two stored uses of a device. */
const USE_RECORDED_MS = 3_600_000;

/**
 * Returns the session of a device; undefined if its token is unknown or has expired, or if its desk
 * is revoked or of another business.
 */
export function findSession(rt: Runtime, slug: string, token: string): DeskSession | undefined {
  if (!DEVICE_TOKEN.test(token)) return undefined;
  const store = rt.openStore(createDeskStore);
  const device = store.findDevice(hashToken(token), rt.now());
  const desk = device && store.findById(device.deskId);
  const business = rt.store.businesses.findBySlug(slug);
  if (!device || !desk || !business || business.id !== desk.businessId) return undefined;
  return { business, desk, device };
}

/** Stores, at most once an hour, that a device is in use. */
export function recordUse(rt: Runtime, { device }: DeskSession): void {
  if (rt.now() - device.usedAt < USE_RECORDED_MS) return;
  rt.tx(() => rt.openStore(createDeskStore).setUsedAt(device.id, rt.now()));
}

/** Ends the session of a device at the request of its user. */
export const unpairDevice = (rt: Runtime, { desk, device }: DeskSession): void =>
  rt.tx(() => {
    rt.openStore(createDeskStore).deleteDevice(device.id);
    auditRow(rt, "desk.device_revoked", desk, { device: device.id, kind: device.kind });
  });

/** Runs work of a device in the name of its desk: the audit log shows the desk as the actor. */
export const runAsDesk = <T>(
  rt: Runtime,
  { id, name }: DeskRow,
  address: string | null,
  work: () => T,
): T => rt.runAs({ via: "http", id, name, address }, work);

export const allows = ({ desk }: DeskSession, right: DeskRight): boolean =>
  desk.allow.includes(right);
