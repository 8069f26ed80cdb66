import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { isoSeconds } from "../../domain/text.ts";
import type { Check, FindOpenSince } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { ChannelFailure } from "./channel-queue.ts";
import type { Cause } from "./rules/alert.ts";
import { createAlertStore } from "./store.ts";

/** Reports alert channels that have failed several times in a row. */
const checkAlertChannels = (rt: Runtime): HealthCondition[] =>
  rt
    .openStore(createAlertStore)
    .list<ChannelFailure>("channel")
    .map(({ key: name, value: { since, error } }) =>
      openCondition(
        "alerts.failing",
        `${name} has failed since ${isoSeconds(since)}: ${error}`,
        "deskbell alerts test",
        { subject: { id: name, name }, since },
      ),
    );

/** Returns when the daemon first found each condition. */
const findOpenSince: FindOpenSince = (rt) =>
  new Map(
    rt
      .openStore(createAlertStore)
      .list<Cause>("cause")
      .flatMap(({ value }) => value.members)
      .filter(({ isOpen }) => isOpen)
      .map(({ fingerprint, since }) => [fingerprint, since]),
  );

export const checks: readonly Check[] = [checkAlertChannels];
export const openSince: readonly FindOpenSince[] = [findOpenSince];
