import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { isoSeconds } from "../../domain/text.ts";
import type { Runtime } from "../runtime.ts";
import type { ChannelFailure } from "./channel-queue.ts";

/** Reports channels of alerts that have failed several times in a row. */
export const checkAlertChannels = (rt: Runtime): HealthCondition[] =>
  rt.store.alertState
    .list<ChannelFailure>("channel")
    .map(({ key: name, value: { since, error } }) =>
      openCondition(
        "alerts.failing",
        `${name} has failed since ${isoSeconds(since)}: ${error}`,
        "deskbell alerts test",
        { subject: { id: name, name }, since },
      ),
    );
